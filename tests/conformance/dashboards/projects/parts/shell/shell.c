/* The part that somebody sees. */
int core_double(int n);

int
main(void)
{
#ifdef BROKEN
	return core_double(not_there);
#else
	return core_double(0);
#endif
}
