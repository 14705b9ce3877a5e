/* What the evaluator's commands share, and how changes of it are undone. */
#include "manifests/cmake/cmake_commands.h"

struct evaluator_mark {
	struct variables_mark variables;
	struct functions_mark functions;
	struct policies_mark policies;
	size_t environment, out_n;
	struct frame *frame;
	struct str directory;
	bool is_stopped;
};

const char *
path_seen(struct evaluator *e, struct str path)
{
	if (path.n && path.p[0] == '/')
		return str_z(e->scratch, path);
	return str_fmt_z(e->scratch, "%.*s/%.*s", STR_ARG(e->directory), STR_ARG(path));
}

/* ---- environment ----------------------------------------------------------------- */

struct str
env_get(struct evaluator *e, struct str name)
{
	return environment_get(e->environment, e->scratch, name);
}

void
env_set(struct evaluator *e, struct str name, struct str value)
{
	struct str words[2] = {environment_set(e->environment, name, value), value};

	declare(e, DECLARE_ENVIRONMENT, (struct str_list){words, value.p ? 2 : 1});
}

/* ---- marks ----------------------------------------------------------------------- */

struct evaluator_mark *
evaluator_mark(struct evaluator *e)
{
	struct evaluator_mark *m = NEW(e->a, struct evaluator_mark);

	INVARIANT(e);
	*m = (struct evaluator_mark){.variables = variables_mark(e->variables),
		.functions = functions_mark(e->functions),
		.policies = policies_mark(e->policies),
		.environment = environment_mark(e->environment),
		.out_n = e->out->n,
		.frame = e->frame,
		.directory = e->directory,
		.is_stopped = e->is_stopped};
	return m;
}

void
evaluator_rewind(struct evaluator *e, struct evaluator_mark *m)
{
	INVARIANT(e->frame == m->frame);
	variables_rewind(e->variables, &m->variables);
	functions_rewind(e->functions, &m->functions);
	policies_rewind(e->policies, &m->policies);
	environment_rewind(e->environment, m->environment);
	e->out->n = m->out_n;
	e->directory = m->directory;
	e->is_stopped = m->is_stopped;
	e->outside = (struct eval_outside){0};
	e->flow = FLOW_ON;
}

/* ---- seen from outside ----------------------------------------------------------- */

struct str
evaluator_get(const struct evaluator *e, struct str variable)
{
	return variable_get(e->variables, variable);
}

void
evaluator_set(struct evaluator *e, struct str variable, struct str value)
{
	if (value.p)
		variable_set(e->variables, variable, value);
	else
		variable_unset(e->variables, variable);
}

void
evaluator_set_environment(struct evaluator *e, struct str name, struct str value)
{
	env_set(e, name, value);
}

struct variable *
evaluator_variables(const struct evaluator *e, struct arena *a, size_t *n)
{
	return variables_list(e->variables, a, n);
}

int
evaluator_read_error(const struct evaluator *e)
{
	return e->read_error;
}

struct eval_outside
evaluator_outside(const struct evaluator *e)
{
	return e->outside;
}

bool
evaluator_stopped(const struct evaluator *e)
{
	return e->is_stopped;
}
