/*
 * A command line: the first byte chooses the dialect, the rest are words that end at a
 * NUL, or one word of a configuration that is cut into words itself. A word with a slash
 * could name a file of the machine, and is not tried.
 */
#include "compat/command_line/command_line.h"
#include "compat/options/options.h"
#include "compat/settings/custom_commands.h"
#include "runner/process/job_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_WORDS = 16 };

static void
check_options(struct arena *a, const struct dialect *dialect, struct str text)
{
	char *argv[MOST_WORDS + 2] = {"cctr"};
	options_messages messages = {0};
	struct str version, directory;
	struct options o;
	int argc = 1;
	bool ok;

	while (text.n && argc <= MOST_WORDS) {
		size_t n = str_find(text, '\0');

		argv[argc++] = (char *)str_dup(a, str_cut(text.p, n)).p;
		text = str_from(text, n < text.n ? n + 1 : n);
	}
	command_line_peek(a, argc, argv, &version, &directory);
	ok = command_line_parse(a, dialect, NULL, argc, argv, &o, &messages);
	INVARIANT(!ok || o.schedule.parallel >= 1);
	for (size_t i = 0; i < messages.n; i++)
		INVARIANT(messages.v[i].text.n > 0);
}

/* Quotes and blanks go, nothing is added. */
static void
check_words(struct arena *a, struct str text)
{
	struct str_list words = custom_command_words(a, text);
	size_t n = 0;

	for (size_t i = 0; i < words.n; i++)
		n += words.v[i].n;
	INVARIANT(n <= text.n);
}

static void
check_job_server(struct arena *a, struct str text)
{
	struct job_server *s = job_server_connect(a, text);

	if (s)
		job_server_close(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int versions[] = {3025, 3031, 4000, 4004};
	struct arena *a = arena_open();
	struct str text = str_cut((const char *)data + (size > 0), size - (size > 0));

	if (size && str_find(text, '/') == text.n) {
		struct dialect dialect = dialect_of(versions[data[0] % 4]);

		check_options(a, &dialect, text);
		check_words(a, text);
		check_job_server(a, text);
	}
	arena_close(a);
	return 0;
}
