/* The part that all others need. */
int
core_double(int n)
{
	int not_used = 1;

	return 2 * n;
}
