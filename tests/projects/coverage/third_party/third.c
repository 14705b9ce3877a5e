/* What a dashboard leaves out. */
int
third(int a)
{
	return a + 3;
}
