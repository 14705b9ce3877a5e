/* In no target. */
int
not_compiled(void)
{
	return 1;
}
