/* Prints a line for every page that the tables of options and properties ask for. */
#include <stdio.h>
#include <string.h>

#include "compat/command_line/option_table.h"
#include "compat/options/options.h"
#include "compat/resources/properties.h"

/* "--tests-regex" and "-R" share the page tests-regex. */
static const char *
page_of(const struct option_info *info)
{
	const char *name = info->alias ? info->alias : info->name;

	if (strcmp(name, "--") == 0)
		return "pass-through";
	return name + strspn(name, "-");
}

int
main(void)
{
	struct option_info info;
	size_t n;
	const struct property_row *rows = property_rows(&n);

	for (size_t i = 0; option_row_info(i, &info); i++)
		if (info.summary)
			printf("option/%s %s\n", page_of(&info), info.name);
	for (size_t i = 0; i < n; i++)
		printf("prop_test/%s %s\n", rows[i].name, rows[i].name);
	return 0;
}
