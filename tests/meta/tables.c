/* Prints a line for every page that the tables of options and properties ask for. */
#include <stdio.h>
#include <string.h>

#include "compat/command_line/option_table.h"
#include "compat/options/options.h"
#include "compat/resources/properties.h"

/* "--tests-regex" and "-R" share the page tests-regex. */
static const char *
page_of(const struct option_row *row)
{
	const char *name = row->names[1] ? row->names[1] : row->names[0];

	if (strcmp(name, "--") == 0)
		return "pass-through";
	return name + strspn(name, "-");
}

int
main(void)
{
	size_t n;
	const struct property_row *rows = property_rows(&n);

	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].summary)
			printf("option/%s %s\n", page_of(&option_rows[i]),
				option_rows[i].names[0]);
	for (size_t i = 0; i < n; i++)
		printf("prop_test/%s %s\n", rows[i].name, rows[i].name);
	return 0;
}
