/* Some of it runs. */
#include "shared.h"

int
sum(int a, int b)
{
	return a == b ? twice(a) : a + b;
}
