/* See again.h. */
#include "compat/run/again.h"

#include "runner/base/shell_word.h"

static bool
is_kept(struct str name)
{
	static const char *const names[] = {"--test-dir", "--preset", "-C",
		"--build-config", "--manifest", "--compat-version", "--profile",
		"--resource-spec-file", "--resource-pool-file", "--resource", "-r",
		"--oversubscribe", "--resource-environment", "--gpu-backend",
		"--no-resource-spec", "--engine"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

static void
add_word(struct buf *out, struct str word)
{
	buf_char(out, ' ');
	shell_word(out, word);
}

struct str
again_command(struct arena *a, struct str_list words)
{
	struct buf out = {.arena = a};

	shell_word(&out, words.n ? words.v[0] : STR("cctr"));
	for (size_t i = 1; i < words.n; i++) {
		struct str rest = words.v[i];
		struct str name = str_take(&rest, '=');

		if (!is_kept(name))
			continue;
		add_word(&out, words.v[i]);
		if (name.n == words.v[i].n && i + 1 < words.n)
			add_word(&out, words.v[++i]);
	}
	buf_z(&out, " -V");
	return buf_as_str(&out);
}

static bool
can_be_typed(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < ' ' || name.p[i] == 127)
			return false;
	return name.n > 0;
}

void
again_add_test(struct buf *command, struct str name, unsigned number)
{
	if (can_be_typed(name)) {
		buf_z(command, "--test ");
		shell_word(command, name);
	} else {
		buf_fmt(command, "-I %u,%u", number, number);
	}
}
