/*
 * --completion: makes shell completion files for cctr's options from their table. The
 * name of a value says what it is: <file> and <dir> are paths, <a|b> is one of these
 * words; for any other value the shell offers nothing.
 */
#include "compat/command_line/option_table.h"

#include <string.h>

enum value_kind { VALUE_NONE, VALUE_FILE, VALUE_DIRECTORY, VALUE_WORDS, VALUE_OTHER };

static enum value_kind
kind_of(const struct option_row *row)
{
	if (!row->value)
		return VALUE_NONE;
	if (strstr(row->value, "file>"))
		return VALUE_FILE;
	if (strcmp(row->value, "<dir>") == 0)
		return VALUE_DIRECTORY;
	return strchr(row->value, '|') ? VALUE_WORDS : VALUE_OTHER;
}

/* "<a|b>" as "a b". */
static void
add_words(struct buf *out, const char *value)
{
	for (const char *c = value + 1; *c && *c != '>'; c++)
		buf_char(out, *c == '|' ? ' ' : *c);
}

static bool
takes_only_equals(const struct option_row *row)
{
	return row->value && !(row->forms & (NEXT | OWN));
}

/* ---- bash ------------------------------------------------------------------------ */

static void
add_bash_names(struct buf *out)
{
	for (size_t i = 0; i < option_rows_n; i++)
		for (size_t k = 0; option_rows[i].summary && k < 2; k++)
			if (option_rows[i].names[k])
				buf_fmt(out, " %s%s", option_rows[i].names[k],
					takes_only_equals(&option_rows[i]) ? "=" : "");
	buf_z(out, " --help --version");
}

static void
add_bash_case(struct buf *out, const struct option_row *row)
{
	static const char *const answers[] = {[VALUE_FILE] = "compgen -f",
		[VALUE_DIRECTORY] = "compgen -d",
		[VALUE_WORDS] = "compgen -W '",
		[VALUE_OTHER] = ":"};
	enum value_kind kind = kind_of(row);

	if (kind == VALUE_NONE || takes_only_equals(row) || row->arity != TAKES_ONE)
		return;
	buf_fmt(out, "\t%s", row->names[0]);
	if (row->names[1])
		buf_fmt(out, " | %s", row->names[1]);
	buf_fmt(out, ") answer=$(%s", answers[kind]);
	if (kind == VALUE_WORDS) {
		add_words(out, row->value);
		buf_char(out, '\'');
	}
	buf_z(out, kind == VALUE_OTHER ? ") ;;\n" : " -- \"$word\") ;;\n");
}

static void
add_bash(struct buf *out)
{
	buf_z(out, "# bash completion of cctr\n_cctr()\n{\n"
		   "\tlocal word=${COMP_WORDS[COMP_CWORD]} answer\n"
		   "\tcase ${COMP_WORDS[COMP_CWORD - 1]} in\n");
	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].summary)
			add_bash_case(out, &option_rows[i]);
	buf_z(out, "\t*) answer=$(compgen -W '");
	add_bash_names(out);
	buf_z(out, "' -- \"$word\") ;;\n\tesac\n"
		   "\tmapfile -t COMPREPLY <<<\"$answer\"\n"
		   "\tif [[ -z $answer ]]; then COMPREPLY=(); fi\n"
		   "\tif [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace "
		   "2>/dev/null; fi\n}\ncomplete -F _cctr cctr\n");
}

/* ---- zsh ------------------------------------------------------------------------- */

static void
add_zsh_text(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			buf_z(out, "'\\'");
		else if (strchr("[]:\\", *text))
			buf_char(out, '\\');
		buf_char(out, *text);
	}
}

static void
add_zsh_option(struct buf *out, const struct option_row *row, const char *name)
{
	enum value_kind kind = kind_of(row);

	buf_fmt(out, " \\\n\t'*%s%s[", name, takes_only_equals(row) ? "=-" : "");
	add_zsh_text(out, row->summary);
	buf_char(out, ']');
	if (kind != VALUE_NONE)
		buf_z(out, row->arity == TAKES_OPTIONAL ? "::value:" : ":value:");
	if (kind == VALUE_FILE)
		buf_z(out, "_files");
	if (kind == VALUE_DIRECTORY)
		buf_z(out, "_files -/");
	if (kind == VALUE_WORDS) {
		buf_char(out, '(');
		add_words(out, row->value);
		buf_char(out, ')');
	}
	buf_char(out, '\'');
}

static void
add_zsh(struct buf *out)
{
	buf_z(out, "#compdef cctr\n_arguments");
	for (size_t i = 0; i < option_rows_n; i++)
		for (size_t k = 0; option_rows[i].summary && k < 2; k++)
			if (option_rows[i].names[k] &&
				strcmp(option_rows[i].names[k], "--") != 0)
				add_zsh_option(
					out, &option_rows[i], option_rows[i].names[k]);
	buf_char(out, '\n');
}

/* ---- fish ------------------------------------------------------------------------ */

/* fish has three kinds of options: -R, -FA and --tests-regex. */
static void
add_fish_name(struct buf *out, const char *name)
{
	if (!name)
		return;
	if (name[1] == '-')
		buf_fmt(out, " -l %s", name + 2);
	else
		buf_fmt(out, " %s %s", name[2] ? "-o" : "-s", name + 1);
}

static void
add_fish_option(struct buf *out, const struct option_row *row)
{
	enum value_kind kind = kind_of(row);

	buf_z(out, "complete -c cctr");
	add_fish_name(out, row->names[0]);
	add_fish_name(out, row->names[1]);
	if (kind == VALUE_FILE)
		buf_z(out, " -r -F");
	else if (kind == VALUE_DIRECTORY)
		buf_z(out, " -x -a '(__fish_complete_directories)'");
	else if (kind != VALUE_NONE && row->arity == TAKES_ONE)
		buf_z(out, " -x");
	if (kind == VALUE_WORDS) {
		buf_z(out, " -a '");
		add_words(out, row->value);
		buf_char(out, '\'');
	}
	buf_z(out, " -d '");
	for (const char *c = row->summary; *c; c++) {
		if (*c == '\'' || *c == '\\')
			buf_char(out, '\\');
		buf_char(out, *c);
	}
	buf_z(out, "'\n");
}

static void
add_fish(struct buf *out)
{
	buf_z(out, "# fish completion of cctr\ncomplete -c cctr -f\n");
	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].summary && strcmp(option_rows[i].names[0], "--") != 0)
			add_fish_option(out, &option_rows[i]);
}

bool
option_set_completion(struct option_parse *p, const struct option_use *use)
{
	struct buf out = {.arena = p->a};

	if (str_is(use->value, "bash"))
		add_bash(&out);
	else if (str_is(use->value, "zsh"))
		add_zsh(&out);
	else if (str_is(use->value, "fish"))
		add_fish(&out);
	else
		return option_error(p, "'%.*s' given unknown value '%.*s'",
			STR_ARG(use->spelled), STR_ARG(use->value));
	option_say(p, false, buf_as_str(&out));
	p->o->help = HELP_USAGE;
	return true;
}
