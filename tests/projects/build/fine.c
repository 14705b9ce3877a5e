/* Compiles without a word. */
int fine(void);
int
fine(void)
{
	return 0;
}
