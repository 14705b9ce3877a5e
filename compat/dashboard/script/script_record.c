/* Requests of a script's commands and replies to them, as text. See script_host.h. */
#include "compat/dashboard/script/script_host.h"
#include "runner/cmakelang/cmake_text.h"

/* ---- the request ----------------------------------------------------------------- */

/* Reads "LENGTH:BYTES" after one blank. */
static bool
take_field(struct str *text, struct str *field)
{
	size_t colon = str_find(*text, ':');
	uint64_t n;

	if (colon == text->n || *text->p != ' ' ||
		!str_unsigned(str_cut(text->p + 1, colon - 1), SIZE_MAX, &n) ||
		n > text->n - colon - 1)
		return false;
	*field = str_cut(text->p + colon + 1, (size_t)n);
	*text = str_from(*text, colon + 1 + (size_t)n);
	return true;
}

static bool
take_word(struct str *text, const char *word)
{
	struct str head = str_of(word);

	if (!str_begins(*text, head))
		return false;
	*text = str_from(*text, head.n);
	return true;
}

/* "call ARGC LENGTH:NAME LENGTH:ARG ..." */
static bool
take_call(struct arena *a, struct str *text, struct script_call *call)
{
	size_t end;
	uint64_t n;

	if (!take_word(text, "call "))
		return false;
	end = str_find(*text, ' ');
	/* Every argument takes at least two bytes. */
	if (!str_unsigned(str_cut(text->p, end), text->n, &n))
		return false;
	*text = str_from(*text, end);
	if (!take_field(text, &call->command))
		return false;
	call->words.v = NEW_ARRAY(a, struct str, n);
	for (call->words.n = 0; call->words.n < n; call->words.n++)
		if (!take_field(text, &call->words.v[call->words.n]))
			return false;
	return take_word(text, "\n");
}

bool
script_call_parse(struct arena *a, struct str record, struct script_call *call)
{
	INVARIANT(call);
	VEC(struct variable) variables = {0};

	*call = (struct script_call){0};
	if (!take_call(a, &record, call))
		return false;
	while (take_word(&record, "variable")) {
		struct variable v = {0};

		if (!take_field(&record, &v.name) || !take_field(&record, &v.value) ||
			!take_word(&record, "\n"))
			return false;
		VEC_PUSH(a, &variables, v);
	}
	call->variables = variables.v;
	call->variables_n = variables.n;
	return str_is(record, "end\n");
}

struct str
script_variable(const struct script_call *call, const char *name)
{
	INVARIANT(*name);
	for (size_t i = 0; i < call->variables_n; i++)
		if (str_is(call->variables[i].name, name))
			return call->variables[i].value;
	return STR_NONE;
}

/* ---- the reply ------------------------------------------------------------------- */

void
script_reply_set(struct script_reply *r, struct str name, struct str value)
{
	if (r->listener) {
		r->listener->set(r->listener->context, name, value);
		return;
	}
	buf_z(&r->text, "set(");
	cmake_quote(&r->text, name);
	buf_char(&r->text, ' ');
	cmake_quote(&r->text, value);
	buf_z(&r->text, " PARENT_SCOPE)\n");
}

void
script_reply_unset(struct script_reply *r, struct str name)
{
	buf_z(&r->text, "unset(");
	cmake_quote(&r->text, name);
	buf_z(&r->text, " PARENT_SCOPE)\n");
}

void
script_reply_environment(struct script_reply *r, const environment_changes *changes)
{
	INVARIANT(changes);
	if (!r->listener)
		cmake_set_environment(&r->text, changes->v, changes->n);
}

void
script_reply_error(struct script_reply *r, struct str text)
{
	r->has_error = true;
	if (r->listener) {
		r->listener->error(r->listener->context, text);
		return;
	}
	buf_fmt(&r->text, "set(_cctr_errors %zu)\nset(_cctr_error_%zu ", r->errors + 1,
		r->errors + 1);
	r->errors++;
	cmake_quote(&r->text, text);
	buf_z(&r->text, ")\n");
}

void
script_reply_go_on(struct script_reply *r)
{
	buf_z(&r->text, "set(_cctr_goes_on TRUE)\n");
}

void
script_reply_end(struct script_reply *r)
{
	if (r->listener)
		r->listener->end(r->listener->context);
	else
		buf_z(&r->text, "set(_cctr_ends TRUE)\n");
}

void
script_reply_files(struct script_reply *r, const struct str_list *files)
{
	if (r->listener) {
		r->listener->files(r->listener->context, files);
		return;
	}
	buf_z(&r->text, "set(_cctr_files");
	for (size_t i = 0; i < files->n; i++) {
		buf_char(&r->text, ' ');
		/* An element of a list. */
		cmake_quote(&r->text,
			str_replace(r->text.arena, files->v[i], STR(";"), STR("\\;")));
	}
	buf_z(&r->text, " PARENT_SCOPE)\n");
}
