/* One function that is called, and one that is not. */
#include "counting.h"

#include <stdio.h>

int
count_to(int last)
{
	if (last > 1000) {
		printf("%d is too far\n", last);
		return 1;
	}
	for (int i = 1; i <= last; i++)
		printf("%d\n", i);
	return 0;
}

int
count_down(int first)
{
	while (first > 0)
		printf("%d\n", first--);
	return 0;
}
