/* See partition_choice.h. */
#include "compat/run/partition_choice.h"

#include "compat/resources/dynamic_spec.h"
#include "compat/run/test_filters.h"
#include "runner/model/select.h"

#define OPTION ((struct place){.file = STR("--partition")})

struct choosing {
	struct run_context *c;
	const struct run_settings *s;
	const struct selection *selection;
	const struct run_nodes *nodes;
	bool has_pool;
	const struct partition_text *text;
};

/* ---- filters --------------------------------------------------------------------- */

static const struct pattern *
compile_pattern(struct choosing *v, struct str text)
{
	struct str why = STR_NONE;
	const struct pattern *p = match_set_get(v->c->patterns, text, &why);

	if (!why.n && p)
		return p;
	diag_error(&v->c->diag, OPTION, "partition %.*s: %.*s is no regular expression",
		STR_ARG(v->text->name), STR_ARG(text));
	return NULL;
}

static bool
compile_patterns(struct choosing *v, const str_vec *texts, struct pattern_list *l)
{
	bool is_good = true;

	*l = (struct pattern_list){
		NEW_ARRAY(v->c->arena, const struct pattern *, texts->n), texts->n};
	for (size_t i = 0; i < texts->n; i++) {
		l->v[i] = compile_pattern(v, texts->v[i]);
		is_good = l->v[i] && is_good;
	}
	return is_good;
}

static bool
compile_filter(struct choosing *v, struct filter *f)
{
	const struct selection_options *o = &v->text->filters;
	bool is_good = compile_patterns(v, &o->include_labels, &f->include_labels);

	is_good = compile_patterns(v, &o->exclude_labels, &f->exclude_labels) && is_good;
	if (o->has_include_name)
		f->include_name = compile_pattern(v, o->include_name);
	if (o->has_exclude_name)
		f->exclude_name = compile_pattern(v, o->exclude_name);
	return is_good && (!o->has_include_name || f->include_name) &&
	       (!o->has_exclude_name || f->exclude_name);
}

/* By node; NULL with *is_good: the partition has no filters. */
static const bool *
accepted_tests(struct choosing *v, bool *is_good)
{
	const struct suite *suite = v->selection->suite;
	struct filter f = {0};
	bool *accepts;

	*is_good = true;
	if (!v->text->has_filters)
		return NULL;
	*is_good =
		compile_filter(v, &f) && test_filters_accept_by(v->c, v->s, suite,
						 &v->text->filters.filters, &f.accepted);
	accepts = NEW_ARRAY(v->c->arena, bool, v->selection->n);
	for (size_t i = 0; i < v->selection->n && *is_good; i++) {
		test_id id = v->selection->v[i].test;

		accepts[i] = filter_passes(&f, &suite->tests[id]) &&
			     (!f.accepted || f.accepted[id]);
	}
	return accepts;
}

/* ---- engines --------------------------------------------------------------------- */

/* Those that the run has nodes of. */
static struct str_list
engines_of_run(const struct choosing *v)
{
	str_vec names = {0};

	if (!v->nodes->are_remote || v->nodes->remote.has_local)
		VEC_PUSH(v->c->arena, &names, STR(ENGINE_LOCAL));
	if (v->nodes->are_remote && v->nodes->job.system)
		VEC_PUSH(v->c->arena, &names, str_of(v->nodes->job.system->name));
	return str_vec_list(&names);
}

static bool
check_engine(const struct choosing *v)
{
	struct str_list names = engines_of_run(v);
	struct buf has = {.arena = v->c->arena};

	if (!v->text->engine.n || !v->selection->n ||
		str_list_has(names, v->text->engine))
		return true;
	buf_z(&has, names.n ? "" : "those of --launcher");
	buf_join(&has, names, STR(" and "));
	return diag_error(&v->c->diag, OPTION,
		"partition %.*s: the run has no node of the engine %.*s; it has %.*s",
		STR_ARG(v->text->name), STR_ARG(v->text->engine),
		STR_ARG(buf_as_str(&has)));
}

/* An engine without sizes is all its nodes. */
static struct partition_sizes
sizes_of(const struct choosing *v)
{
	struct partition_sizes sizes = v->text->sizes;

	if (v->text->engine.n && v->has_pool && !sizes.n && !sizes.has_rest &&
		!sizes.has_nodes) {
		sizes.has_nodes = true;
		sizes.nodes = (struct partition_size){.kind = PARTITION_ALL};
	}
	return sizes;
}

static bool
read_request(struct choosing *v, struct partition_request *q)
{
	bool is_good;

	*q = (struct partition_request){.name = v->text->name,
		.text = v->text->text,
		.engine = v->text->engine,
		.sizes = sizes_of(v),
		.parallel = v->text->parallel,
		.order = v->text->order,
		.accepts = accepted_tests(v, &is_good)};
	return check_engine(v) && is_good;
}

/* While the run goes on. What is wrong is an answer to the one who asks, and not what the
 * run itself has to say. */
static bool
read_new_partition(
	void *context, struct str text, struct partition_request *q, struct diag *d)
{
	struct choosing *v = context;
	struct arena *a = v->c->arena;
	struct diag own = v->c->diag;
	struct partition_text *t = NEW(a, struct partition_text);
	struct str why;
	bool is_read;

	if (!partition_text_read_unnamed(a, str_dup(a, text), t, &why))
		return diag_error(d, NO_PLACE, "%.*s: %.*s", STR_ARG(text), STR_ARG(why));
	if (t->order != PARTITION_ORDER_OF_RUN)
		return diag_error(d, NO_PLACE,
			"%.*s: a partition can have an order of its own only from the "
			"begin of the run on",
			STR_ARG(text));
	v->text = t;
	v->c->diag = *d;
	is_read = read_request(v, q);
	*d = v->c->diag;
	v->c->diag = own;
	return is_read;
}

/* ---- the partitions of a run ----------------------------------------------------- */

static bool
check_run(struct choosing *v)
{
	return !dynamic_spec_is_wanted(v->selection) ||
	       diag_error(&v->c->diag, OPTION,
		       "a test makes the resources of the run, so that they cannot be "
		       "divided before");
}

/* NULL: they can change while the run goes on. */
static const char *
why_fixed(const struct options *o)
{
	if (o->run.batches)
		return "the run has --batch, whose groups are those of the partitions";
	return o->schedule.explain.n ? "the run has --explain" : NULL;
}

/* Nothing runs, and nothing depends on where it would. */
static bool
lists_alone(const struct options *o)
{
	return (o->show_only != SHOW_NOTHING || o->print_labels) &&
	       !o->schedule.explain.n;
}

bool
partition_choose(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, const struct run_nodes *nodes,
	struct resource_pool *pool, struct partitions **found)
{
	const partition_texts *texts = &s->options.resources.partitions;
	struct choosing *v = NEW(c->arena, struct choosing);
	struct partition_request *q =
		NEW_ARRAY(c->arena, struct partition_request, texts->n);
	bool is_good = true;

	*v = (struct choosing){.c = c,
		.s = s,
		.selection = selection,
		.nodes = nodes,
		.has_pool = pool->is_there};
	*found = NULL;
	if (!texts->n || lists_alone(&s->options))
		return true;
	if (!check_run(v))
		return false;
	for (size_t i = 0; i < texts->n; i++) {
		v->text = &texts->v[i];
		is_good = read_request(v, &q[i]) && is_good;
	}
	if (!is_good)
		return false;
	*found = partitions_new(c->arena, pool->is_there ? &pool->pool : NULL, selection,
		run_nodes_parallel(nodes, &s->options.schedule));
	(*found)->reader = (struct partition_reader){v, read_new_partition};
	(*found)->no_pool = "the run has no resources that it could have: see --resource "
			    "and --resource-spec-file";
	(*found)->fixed = why_fixed(&s->options);
	return partitions_begin(*found, q, texts->n, OPTION, &c->diag);
}
