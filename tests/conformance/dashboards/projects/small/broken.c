/* Cannot be compiled. */
int
main(void)
{
	return not_there + nor_this(1);
}
