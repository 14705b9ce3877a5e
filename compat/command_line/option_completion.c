/*
 * --completion: makes shell completion files for cctr's options from their table. The
 * name of a value says what it is: <file> and <dir> are paths, <a|b> is one of these
 * words, <test> is a test; expressions for names and labels begin as a test or a label
 * does. For these the scripts ask cctr, which prints names for them. For any other value
 * the shell offers nothing. The first word may be a command.
 */
#include "compat/command_line/option_table.h"

#include <string.h>

enum value_kind {
	VALUE_NONE,
	VALUE_FILE,
	VALUE_DIRECTORY,
	VALUE_WORDS,
	VALUE_TESTS,
	VALUE_LABELS,
	VALUE_PRESETS,
	VALUE_OTHER
};
/* What a script asks for. */
static const char *const lists[] = {[VALUE_TESTS] = "tests",
	[VALUE_LABELS] = "labels",
	[VALUE_PRESETS] = "presets",
	[VALUE_OTHER] = NULL};

static bool
is_list(enum value_kind kind)
{
	return lists[kind] != NULL;
}

static enum value_kind
kind_of_expression(const struct option_row *row)
{
	const char *name = row->names[1] ? row->names[1] : row->names[0];

	if (strstr(name, "label"))
		return VALUE_LABELS;
	return strstr(name, "fixture") ? VALUE_OTHER : VALUE_TESTS;
}

/* value: such as "<file>", or NULL. */
static enum value_kind
kind_of_value(const char *value)
{
	if (!value)
		return VALUE_NONE;
	if (strstr(value, "file>"))
		return VALUE_FILE;
	if (strcmp(value, "<dir>") == 0)
		return VALUE_DIRECTORY;
	if (strcmp(value, "<test>") == 0)
		return VALUE_TESTS;
	return strchr(value, '|') ? VALUE_WORDS : VALUE_OTHER;
}

static enum value_kind
kind_of(const struct option_row *row)
{
	if (row->value && strcmp(row->value, "<regex>") == 0)
		return kind_of_expression(row);
	if (strcmp(row->names[0], "--preset") == 0)
		return VALUE_PRESETS;
	return kind_of_value(row->value);
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

/* "--name | --name=", or only the latter where the next word is no value. A shell without
 * blanks around "=" has it as a word of its own. */
static void
add_bash_pattern(struct buf *out, const struct option_row *row)
{
	bool is_next = !takes_only_equals(row) && row->arity == TAKES_ONE;
	const char *between = "";

	for (size_t k = 0; k < 2 && row->names[k]; k++) {
		if (is_next)
			buf_fmt(out, "%s%s", between, row->names[k]);
		between = is_next ? " | " : between;
		if (row->names[k][1] == '-')
			buf_fmt(out, "%s%s=", between, row->names[k]);
		between = " | ";
	}
}

/* The command that prints such values. */
static void
add_bash_values(struct buf *out, enum value_kind kind, const char *value)
{
	if (kind == VALUE_FILE || kind == VALUE_DIRECTORY)
		buf_fmt(out, "compgen -%c -- \"$word\"", kind == VALUE_FILE ? 'f' : 'd');
	if (kind == VALUE_WORDS) {
		buf_z(out, "compgen -W '");
		add_words(out, value);
		buf_z(out, "' -- \"$word\"");
	}
	if (is_list(kind))
		buf_fmt(out, "_cctr_names %s \"$word\"", lists[kind]);
	if (kind == VALUE_OTHER)
		buf_char(out, ':');
}

static void
add_bash_case(struct buf *out, const struct option_row *row)
{
	enum value_kind kind = kind_of(row);
	bool is_next = !takes_only_equals(row) && row->arity == TAKES_ONE;

	if (kind == VALUE_NONE || (!is_next && row->names[0][1] != '-'))
		return;
	buf_char(out, '\t');
	add_bash_pattern(out, row);
	buf_z(out, ") answer=$(");
	add_bash_values(out, kind, row->value);
	buf_z(out, ") ;;\n");
}

/* What a command offers where no option takes the word. */
static void
add_bash_command(struct buf *out, const struct command_row *command)
{
	enum value_kind kind = kind_of_value(command->operands);

	buf_fmt(out, "\t\t1.%s)", command->name);
	if (command->is_alone)
		buf_z(out, " options=''");
	for (const struct option_row *o = command->options; o && o->names[0]; o++)
		buf_fmt(out, "%s%s", o == command->options ? " options+=' " : " ",
			o->names[0]);
	if (command->options)
		buf_char(out, '\'');
	if (command->verbs) {
		buf_z(out, "\n\t\t\tif ((COMP_CWORD == 2)); then answer=$(");
		add_bash_values(out, VALUE_WORDS, command->verbs);
		buf_z(out, "); fi");
	}
	if (kind != VALUE_NONE) {
		buf_fmt(out,
			"\n\t\t\tif [[ $word != -* && $COMP_CWORD -gt %d ]]; then "
			"answer=$(",
			command->verbs ? 2 : 1);
		add_bash_values(out, kind, command->operands);
		buf_z(out, "); fi");
	}
	buf_z(out, " ;;\n");
}

/* Whether some other command, or cctr itself, has the option too. */
static bool
is_bash_case_written(const struct option_row *row)
{
	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].summary &&
			strcmp(option_rows[i].names[0], row->names[0]) == 0)
			return true;
	return false;
}

static const char bash_begin[] =
	"# bash completion of cctr\n"
	"# The tests, labels or presets of the build tree that begin with a word.\n"
	"_cctr_names()\n{\n"
	"\tlocal at name tree=()\n"
	"\tfor ((at = 1; at < COMP_CWORD - 1; at++)); do\n"
	"\t\tif [[ ${COMP_WORDS[at]} == --test-dir ]]; then\n"
	"\t\t\ttree=(--test-dir \"${COMP_WORDS[at + 1]}\")\n"
	"\t\t\tif [[ ${tree[1]} == = ]]; then tree[1]=${COMP_WORDS[at + 2]}; fi\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tcase $1 in\n"
	"\tpresets) \"${COMP_WORDS[0]}\" --list-presets | sed -n 's/^  "
	"\"\\([^\"]*\\)\".*/\\1/p' ;;\n"
	"\t*) \"${COMP_WORDS[0]}\" \"${tree[@]}\" --completion \"$1\" ;;\n"
	"\tesac 2>/dev/null | while IFS= read -r name; do\n"
	"\t\tif [[ $name == \"$2\"* ]]; then printf '%q\\n' \"$name\"; fi\n"
	"\tdone\n}\n"
	"_cctr()\n{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
	"answer='' options\n"
	"\tif [[ $word == = ]]; then\n"
	"\t\tword='' before=$before=\n"
	"\telif [[ $before == = && $COMP_CWORD -ge 3 ]]; then\n"
	"\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}=\n"
	"\tfi\n"
	"\tcase $before in\n";

static void
add_bash(struct buf *out)
{
	buf_z(out, bash_begin);
	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].summary)
			add_bash_case(out, &option_rows[i]);
	for (size_t i = 0; i < command_rows_n; i++)
		for (const struct option_row *o = command_rows[i].options;
			o && o->names[0]; o++)
			if (!is_bash_case_written(o))
				add_bash_case(out, o);
	buf_z(out, "\t*=) answer='' ;;\n"
		   "\t*)\n"
		   "\t\toptions='");
	add_bash_names(out);
	buf_z(out, "'\n"
		   "\t\tcase $((COMP_CWORD > 1)).${COMP_WORDS[1]} in\n"
		   "\t\t0.-*) ;;\n"
		   "\t\t0.*) options='");
	for (size_t i = 0; i < command_rows_n; i++)
		buf_fmt(out, "%s%s", i ? " " : "", command_rows[i].name);
	buf_z(out, "' ;;\n");
	for (size_t i = 0; i < command_rows_n; i++)
		add_bash_command(out, &command_rows[i]);
	buf_z(out, "\t\tesac\n"
		   "\t\tanswer+=$(compgen -W \"$options\" -- \"$word\") ;;\n"
		   "\tesac\n"
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
add_zsh_values(struct buf *out, enum value_kind kind, const char *value)
{
	if (kind == VALUE_FILE)
		buf_z(out, "_files");
	if (kind == VALUE_DIRECTORY)
		buf_z(out, "_files -/");
	if (is_list(kind))
		buf_fmt(out, "{_cctr_names %s}", lists[kind]);
	if (kind == VALUE_WORDS) {
		buf_char(out, '(');
		add_words(out, value);
		buf_char(out, ')');
	}
}

static void
add_zsh_option(struct buf *out, const struct option_row *row, const char *name)
{
	enum value_kind kind = kind_of(row);
	bool has_equals = row->forms & OWN && name[1] == '-';

	buf_fmt(out, " \\\n\t'*%s%s[", name,
		takes_only_equals(row) ? "=-"
				       : (has_equals && kind != VALUE_NONE ? "=" : ""));
	add_zsh_text(out, row->summary);
	buf_char(out, ']');
	if (kind != VALUE_NONE)
		buf_z(out, row->arity == TAKES_OPTIONAL ? "::value:" : ":value:");
	add_zsh_values(out, kind, row->value);
	buf_char(out, '\'');
}

static void
add_zsh_command(struct buf *out, const struct command_row *command)
{
	enum value_kind kind = kind_of_value(command->operands);

	if (!command->options && kind == VALUE_NONE)
		return;
	buf_fmt(out, "(%s) more+=(", command->name);
	for (const struct option_row *o = command->options; o && o->names[0]; o++)
		add_zsh_option(out, o, o->names[0]);
	if (command->verbs) {
		buf_z(out, " \\\n\t'2:verb:");
		add_zsh_values(out, VALUE_WORDS, command->verbs);
		buf_char(out, '\'');
	}
	if (kind != VALUE_NONE) {
		buf_z(out, " \\\n\t'*:value:");
		add_zsh_values(out, kind, command->operands);
		buf_char(out, '\'');
	}
	buf_z(out, command->is_alone ? ")\n\t_arguments $more\n\treturn ;;\n" : ") ;;\n");
}

static void
add_zsh(struct buf *out)
{
	buf_z(out,
		"#compdef cctr\n"
		"# The tests, labels or presets of the build tree.\n"
		"_cctr_names() {\n"
		"\tlocal -a names tree\n"
		"\tlocal at=${words[(i)--test-dir]}\n"
		"\t(( at < CURRENT - 1 )) && tree=(--test-dir ${words[at + 1]})\n"
		"\tif [[ $1 == presets ]]; then\n"
		"\t\tnames=(${(f)\"$($words[1] --list-presets 2>/dev/null | "
		"sed -n 's/^  \"\\([^\"]*\\)\".*/\\1/p')\"})\n"
		"\telse\n"
		"\t\tnames=(${(f)\"$($words[1] $tree --completion $1 2>/dev/null)\"})\n"
		"\tfi\n"
		"\tcompadd -a names\n"
		"}\n"
		"local -a more=('1:command:(");
	for (size_t i = 0; i < command_rows_n; i++)
		buf_fmt(out, "%s%s", i ? " " : "", command_rows[i].name);
	buf_z(out, ")')\n"
		   "case $words[2] in\n");
	for (size_t i = 0; i < command_rows_n; i++)
		add_zsh_command(out, &command_rows[i]);
	buf_z(out, "esac\n"
		   "_arguments $more");
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
add_fish_summary(struct buf *out, const char *summary)
{
	buf_z(out, " -d '");
	buf_escaped(out, str_of(summary), "'\\");
	buf_z(out, "'\n");
}

/* command: the only one that has it; NULL: cctr itself. */
static void
add_fish_condition(struct buf *out, const char *command)
{
	buf_fmt(out, "complete -c cctr -n '%s__fish_seen_subcommand_from",
		command ? "" : "not ");
	for (size_t i = 0; i < command_rows_n; i++)
		if (command ? strcmp(command, command_rows[i].name) == 0
			    : command_rows[i].is_alone)
			buf_fmt(out, " %s", command_rows[i].name);
	buf_char(out, '\'');
}

/* The first operand, or the others, of a command with verbs. */
static void
add_fish_operand(struct buf *out, const char *command, bool is_first)
{
	buf_fmt(out,
		"complete -c cctr -n '__fish_seen_subcommand_from %s; and test (count "
		"(commandline -opc)) -%s 2'",
		command, is_first ? "eq" : "gt");
}

static void
add_fish_option(struct buf *out, const struct option_row *row, const char *command)
{
	enum value_kind kind = kind_of(row);

	add_fish_condition(out, command);
	add_fish_name(out, row->names[0]);
	add_fish_name(out, row->names[1]);
	if (kind == VALUE_FILE)
		buf_z(out, " -r -F");
	else if (kind == VALUE_DIRECTORY)
		buf_z(out, " -x -a '(__fish_complete_directories)'");
	else if (kind != VALUE_NONE && row->arity == TAKES_ONE)
		buf_z(out, " -x");
	if (is_list(kind))
		buf_fmt(out, " -a '(__cctr_names %s)'", lists[kind]);
	if (kind == VALUE_WORDS) {
		buf_z(out, " -a '");
		add_words(out, row->value);
		buf_char(out, '\'');
	}
	add_fish_summary(out, row->summary);
}

static void
add_fish_command(struct buf *out, const struct command_row *command)
{
	enum value_kind kind = kind_of_value(command->operands);

	buf_fmt(out, "complete -c cctr -n 'test (count (commandline -opc)) -eq 1' -a %s",
		command->name);
	add_fish_summary(out, command->summary);
	for (const struct option_row *o = command->options; o && o->names[0]; o++)
		add_fish_option(out, o, command->name);
	if (command->verbs) {
		add_fish_operand(out, command->name, true);
		buf_z(out, " -a '");
		add_words(out, command->verbs);
		buf_z(out, "'\n");
	}
	if (kind == VALUE_NONE)
		return;
	if (command->verbs)
		add_fish_operand(out, command->name, false);
	else
		add_fish_condition(out, command->name);
	if (is_list(kind))
		buf_fmt(out, " -a '(__cctr_names %s)'", lists[kind]);
	buf_z(out, kind == VALUE_FILE ? " -F\n" : "\n");
}

static void
add_fish(struct buf *out)
{
	buf_z(out, "# fish completion of cctr\n"
		   "function __cctr_names\n"
		   "    set -l tree\n"
		   "    set -l words (commandline -opc)\n"
		   "    if set -l at (contains -i -- --test-dir $words)\n"
		   "        set tree --test-dir $words[(math $at + 1)]\n"
		   "    end\n"
		   "    if test $argv[1] = presets\n"
		   "        $words[1] --list-presets 2>/dev/null | "
		   "string replace -rf '^  \"([^\"]*)\".*' '$1'\n"
		   "    else\n"
		   "        $words[1] $tree --completion $argv[1] 2>/dev/null\n"
		   "    end\n"
		   "end\n"
		   "complete -c cctr -f\n");
	for (size_t i = 0; i < command_rows_n; i++)
		add_fish_command(out, &command_rows[i]);
	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].summary && strcmp(option_rows[i].names[0], "--") != 0)
			add_fish_option(out, &option_rows[i], NULL);
}

bool
option_set_completion(struct option_parse *p, const struct option_use *use)
{
	struct buf out = {.arena = p->a};

	if (str_is(use->value, "tests") || str_is(use->value, "labels")) {
		p->o->names = str_is(use->value, "tests") ? NAMES_TESTS : NAMES_LABELS;
		return true;
	}
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
