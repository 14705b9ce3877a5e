/* Its exit code is twice the number of its arguments. */
int core_double(int n);

int
main(int argc, char **argv)
{
	(void)argv;
	return core_double(argc - 1);
}
