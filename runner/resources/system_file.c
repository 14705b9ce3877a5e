/* See system_file.h. */
#include "runner/resources/system_file.h"

#include "runner/base/files.h"

struct str
system_file_text(struct arena *a, struct str path)
{
	struct str text;

	return file_read(a, path.p, &text) ? str_trim(text) : STR("");
}

struct str
system_file_value(struct str text, struct str name)
{
	struct str line;

	while (str_take_line(&text, &line)) {
		struct str rest;

		if (!str_begins(line, name))
			continue;
		rest = str_from(line, name.n);
		if (rest.n && (rest.p[0] == ':' || rest.p[0] == ' '))
			return str_trim(str_from(rest, 1));
	}
	return STR("");
}
