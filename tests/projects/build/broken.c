/* Does not compile. */
int broken(void);
int
broken(void)
{
	return undeclared<&>;
}
