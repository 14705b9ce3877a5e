/*
 * cmake -P exits with 1 after an error, also if cmake_language(EXIT) then chooses 0 or 1.
 * That command ends the script, so that it is the last line of the trace. Only the end of
 * the file is read, since a trace has a line for each command.
 */
#include "compat/dashboard/script/script_trace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/format/json_read.h"

enum { TAIL_SIZE = 65536 };

static struct str
read_tail(struct arena *a, const char *path)
{
	char *tail = NEW_ARRAY(a, char, TAIL_SIZE);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	ssize_t n = -1;

	if (fd < 0)
		return STR("");
	if (fstat(fd, &status) == 0)
		n = pread(fd, tail, TAIL_SIZE,
			status.st_size > TAIL_SIZE ? status.st_size - TAIL_SIZE : 0);
	close(fd);
	return str_cut(tail, n > 0 ? (size_t)n : 0);
}

static struct str
last_line(struct str text)
{
	struct str line, last = STR("");

	while (str_take_line(&text, &line))
		last = line;
	return last;
}

bool
script_trace_exit(struct arena *a, const char *path, int *code)
{
	struct dialect any = dialect_of(0);
	struct json_document document =
		json_read(a, &any, JSON_STRICT, last_line(read_tail(a, path)));
	const struct json_value *command = json_member(document.root, "cmd");
	const struct json_value *words = json_member(document.root, "args");
	const struct json_value *first = json_first(words);

	INVARIANT(code);
	if (!json_is(command, JSON_STRING) ||
		!str_eq_nocase(command->text, STR("cmake_language")) ||
		!json_is(words, JSON_ARRAY) || words->n != 2 ||
		!json_is(first, JSON_STRING) || !str_is(first->text, "EXIT") ||
		!json_is(first->next, JSON_STRING) || !first->next->text.n)
		return false;
	*code = str_int(first->next->text);
	return true;
}
