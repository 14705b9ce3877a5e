/* Compiled, and never called. */
int
never(int a)
{
	return -a;
}
