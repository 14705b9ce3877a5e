/* How rows of the table read a call, and set keys. See script_steps.h. */
#include "compat/dashboard/script/script_steps.h"

#include "runner/base/files.h"
#include "runner/cmakelang/cmake_child.h"
#include "runner/cmakelang/cmake_program.h"

struct str
request_value(const struct step_request *r, const char *keyword)
{
	return step_value(&r->in.call, keyword);
}

bool
request_has(const struct step_request *r, const char *keyword)
{
	return step_has(&r->in.call, keyword);
}

struct str
request_variable(const struct step_request *r, const char *name)
{
	return script_variable(&r->words, name);
}

struct str
request_value_or(const struct step_request *r, const char *keyword, const char *variable)
{
	struct str value = request_value(r, keyword);

	return value.n ? value : request_variable(r, variable);
}

void
request_set(struct step_request *r, const char *keyword, struct str value)
{
	struct str variable = request_value(r, keyword);

	if (variable.n)
		script_reply_set(r->reply, variable, value);
}

void
request_set_output(struct step_request *r, const char *keyword)
{
	for (size_t i = 0; i < r->result.outputs.n; i++)
		if (str_is(r->result.outputs.v[i].name, keyword))
			request_set(r, keyword, r->result.outputs.v[i].value);
}

void
request_key(struct step_request *r, const char *key, struct str value)
{
	script_set_key(r->d, &r->in, key, value);
}

void
request_key_silently(struct step_request *r, const char *key, struct str value)
{
	configuration_set(
		&r->d->configuration, str_fmt(r->arena, "%s=%.*s", key, STR_ARG(value)));
}

void
request_key_of(struct step_request *r, const char *key)
{
	script_take_key(r->d, &r->in, &r->words, key, script_key_variable(key));
}

void
request_keys(struct step_request *r)
{
	for (const struct script_key *k = script_keys; k->key; k++)
		if (k->part == r->in.call.part)
			request_key_of(r, k->key);
}

void
request_add_values(struct step_request *r, const char *keyword, struct str_list values)
{
	struct step_argument *all =
		NEW_ARRAY(r->arena, struct step_argument, r->in.call.n + 1);

	for (size_t i = 0; i < r->in.call.n; i++)
		all[i] = r->arguments[i];
	all[r->in.call.n++] = (struct step_argument){str_of(keyword), values.v, values.n};
	r->arguments = all;
	r->in.call.arguments = all;
}

void
request_keep_values(struct step_request *r, const char *keyword,
	bool (*keep)(struct step_request *r, struct str value))
{
	for (size_t i = 0; i < r->in.call.n; i++) {
		struct step_argument *argument = &r->arguments[i];
		struct str *kept = NEW_ARRAY(r->arena, struct str, argument->n);
		size_t n = 0;

		if (!str_is(argument->name, keyword))
			continue;
		for (size_t k = 0; k < argument->n; k++)
			if (keep(r, argument->values[k]))
				kept[n++] = argument->values[k];
		argument->values = kept;
		argument->n = n;
	}
}

static bool
is_there(struct step_request *r, struct str file)
{
	if (path_exists(str_z(r->arena, file)))
		return true;
	request_error(r, str_fmt(r->arena,
				 "File \"%.*s\" does not exist.  Cannot submit a "
				 "non-existent file.",
				 STR_ARG(file)));
	return false;
}

void
request_check_files(struct step_request *r, const char *keyword)
{
	request_keep_values(r, keyword, is_there);
}

struct str
request_build_directory(const struct step_request *r)
{
	return configuration_get(&r->d->configuration, "BuildDirectory");
}

struct str
request_cmake(const struct step_request *r)
{
	struct str cmake = cmake_program_for(r->arena, STR_NONE, r->here);

	return cmake.n ? cmake : STR("cmake");
}
