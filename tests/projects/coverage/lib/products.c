/* Nothing here runs. */
#include "shared.h"

int
product(int a, int b)
{
	if (b == 2)
		return twice(a);
	return a * b;
}
