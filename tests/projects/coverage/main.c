/* Some branches run, some do not. */
#include <stdlib.h>

#include "shared.h"

int sum(int a, int b);
int product(int a, int b);
int third(int a);

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	if (n > 100)
		return product(n, 2);
	for (int i = 0; i < 5; i++)
		n = sum(n, twice(i));
	return third(n) < 0; /* <&> "quoted" */
}
