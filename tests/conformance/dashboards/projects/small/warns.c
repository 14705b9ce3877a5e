/* Two things that a compiler warns of. */
#include <stdio.h>

static void
not_called(void)
{
}

int
main(void)
{
	int not_used;

	puts("warned");
	return 0;
}
