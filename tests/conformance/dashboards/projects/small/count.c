/* Counts, forgets what it has asked for, or reads what is not there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"

static int
forget(void)
{
	char *text = malloc(7);

	strcpy(text, "memory");
	puts(text);
	text = NULL;
	return text != NULL;
}

static int
read_behind(void)
{
	volatile char *text = malloc(4);
	int sum = text[4];

	free((void *)text);
	puts("read");
	return sum == 12345;
}

int
main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	char *end;
	long last;

	if (strcmp(word, "forgets") == 0)
		return forget();
	if (strcmp(word, "reads") == 0)
		return read_behind();
	last = strtol(word, &end, 10);
	if (*word == '\0' || *end != '\0') {
		fprintf(stderr, "'%s' is no number\n", word);
		return 2;
	}
	return count_to((int)last);
}
