/* Does not link. */
int nowhere(void);
int
main(void)
{
	return nowhere();
}
