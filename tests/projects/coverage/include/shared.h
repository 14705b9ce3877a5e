/* A header that several objects share. */
static inline int
twice(int a)
{
	if (a < 0)
		return 0;
	return a * 2;
}
