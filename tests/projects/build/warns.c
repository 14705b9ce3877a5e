/* Compiles with warnings. */
int warns(int n);
int
warns(int n)
{
	int unused = "<&>"[0];
	char *s = n;

	return s == 0;
}
