/* See engine_batch.h. */
#include "runner/batch/engine_batch.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/scratch_folder.h"
#include "runner/run/attempt_output.h"

/* A process that wrote more proves nothing, and neither is a longer word possible. */
enum { OUTPUT_MOST = 64 << 20, WORD_MOST = 64 << 10 };

/* A process for several tests. */
struct batch {
	struct arena *arena; /* it lives there */
	struct batch_test **v;
	size_t n;
	struct launch launch;
	const char *report; /* a file */
	bool is_steered; /* someone has changed its time limit */
	struct batch *next, **previous;
};
/* What is left of it for a test that has passed there. */
struct proof {
	int64_t started_us;
	uint64_t duration_ns, user_ns, system_ns, peak_rss_bytes;
	uint64_t output_at, output_n; /* in the outputs of the engine */
};
/* What the engine keeps for a test of a group. */
struct seat {
	struct batch_test *test; /* NULL: it has not started, or is in no group */
	const struct launch *launch; /* it has started and has not ended; else NULL */
	struct batch *leads; /* its process; NULL: it has none, or one of its own */
	struct proof proof; /* of BATCH_PROVEN */
	bool is_proven, waits; /* waits: in the list of the engine */
};
struct delivery {
	struct attempt_output written; /* first: see end_delivery */
	struct delivery *next_free;
};
struct batch_engine {
	struct engine base;
	struct engine *inner;
	struct arena *arena;
	const char *directory;
	struct batch_groups groups;
	struct seat *seats; /* by node */
	VEC(struct seat *) waiting; /* for the processes of others */
	struct attempt_queue ready; /* outcomes that are reported by the next wait */
	struct delivery *free;
	VEC(struct delivery *) deliveries;
	struct batch *batches; /* that run */
	size_t batches_n; /* that were made */
	/* Of tests that have passed, some of which have not started yet. */
	struct arena *output_arena;
	struct spool outputs;
	struct scratch_folder folder; /* of reports */
	bool has_folder, lacks_folder, is_interrupted;
};

static struct batch_engine *
batch_engine_of(struct engine *e)
{
	return (struct batch_engine *)e;
}

static struct seat *
seat_of(struct batch_engine *e, node_id node)
{
	INVARIANT(node < e->groups.n);
	return &e->seats[node];
}

/* ---- outcomes from a process for several ------------------------------------------ */

static struct delivery *
take_delivery(struct batch_engine *e)
{
	struct delivery *d = e->free;

	if (d) {
		e->free = d->next_free;
		return d;
	}
	d = NEW(e->arena, struct delivery);
	attempt_output_open(&d->written, &e->base, e->directory);
	VEC_PUSH(e->arena, &e->deliveries, d);
	return d;
}

/* The output of the test, which is lost where it cannot be read back. */
static void
add_output(struct batch_engine *e, struct delivery *d, const struct proof *p,
	struct outcome *o)
{
	char part[65536];
	uint64_t done = 0;

	while (done < p->output_n && !o->lost_output) {
		uint64_t left = p->output_n - done;
		ssize_t got = spool_get(&e->outputs, p->output_at + done, part,
			left < sizeof part ? (size_t)left : sizeof part);

		if (got < 0)
			o->lost_output = errno;
		else
			attempt_output_add(&d->written, str_cut(part, (size_t)got));
		done += got > 0 ? (uint64_t)got : 0;
	}
}

/* p: what the test has written and used. */
static void
deliver(struct batch_engine *e, struct seat *s, const struct proof *p, enum ending ending)
{
	struct delivery *d = take_delivery(e);
	struct outcome o = {
		.ending = ending,
		.started_us = p->started_us,
		.duration_ns = p->duration_ns,
		.user_ns = p->user_ns,
		.system_ns = p->system_ns,
		.peak_rss_bytes = p->peak_rss_bytes,
	};

	attempt_output_begin(&d->written, s->test->node, s->launch->wants_lines);
	add_output(e, d, p, &o);
	attempt_output_end(&d->written, &o);
	attempt_queue_add(&e->ready, &d->written);
	s->launch = NULL;
	s->test->state = BATCH_ALONE;
}

static void
end_delivery(struct attempt_output *o)
{
	struct batch_engine *e = batch_engine_of(o->engine);
	struct delivery *d = (struct delivery *)o;

	if (!attempt_output_report(o)) {
		attempt_queue_add(&e->ready, o);
		return;
	}
	d->next_free = e->free;
	e->free = d;
}

/* ---- the start of a process for several ------------------------------------------- */

static size_t
count_words(const char *const *argv)
{
	size_t n = 0;

	while (argv[n])
		n++;
	return n;
}

/* Where the command of the test begins, after the words of what runs it. */
static size_t
own_words_at(const struct seat *s)
{
	return count_words(s->launch->argv) - s->test->words;
}

static bool
has_variable(const struct launch *l, const char *head)
{
	for (size_t i = 0; l->environment[i]; i++)
		if (str_begins(str_of(l->environment[i]), str_of(head)))
			return true;
	return false;
}

/* Whether the launch gives the test nothing for itself alone. */
static bool
can_be_shared(const struct seat *s)
{
	const struct launch *l = s->launch;

	return !l->post_run && !l->temporary && !l->temporary_mark && !l->prefix.n &&
	       !l->limit_is_the_runs &&
	       !has_variable(l, s->test->group->framework->variables);
}

/* Where it is not the program of the framework, all tests of the group run alone. */
static bool
is_program(const struct seat *s)
{
	struct batch_group *g = s->test->group;

	if (g->is_checked)
		return true;
	g->is_checked = true;
	if (!g->framework->is_program ||
		g->framework->is_program(s->launch->argv[own_words_at(s)]))
		return true;
	for (size_t i = 0; i < g->n; i++)
		g->v[i].state = BATCH_ALONE;
	return false;
}

static bool
open_folder(struct batch_engine *e)
{
	if (!e->has_folder && !e->lacks_folder) {
		scratch_folder_sweep(e->arena);
		e->has_folder = scratch_folder_open(e->arena, &e->folder);
		e->lacks_folder = !e->has_folder;
	}
	return e->has_folder;
}

/* The test itself, unless another process is at it, and the next ones of its group. */
static void
choose_tests(struct batch *b, struct batch_test *t)
{
	struct batch_group *g = t->group;
	size_t bytes = 0;

	b->v = NEW_ARRAY(b->arena, struct batch_test *, g->most);
	while (t && b->n < g->most && bytes + t->choice.choice.n < WORD_MOST) {
		if (t->state == BATCH_WAITS)
			b->v[b->n++] = t;
		bytes += t->choice.choice.n + 1;
		t->state = BATCH_RUNS;
		t = batch_group_next(g);
	}
}

static struct str_list
list_choices(const struct batch *b)
{
	struct str_list l = {NEW_ARRAY(b->arena, struct str, b->n), b->n};

	for (size_t i = 0; i < b->n; i++)
		l.v[i] = b->v[i]->choice.choice;
	return l;
}

static void
fill_launch(struct batch *b, const struct seat *s)
{
	const struct framework *f = s->test->group->framework;
	struct str_list more = f->report_words(b->arena, str_of(b->report));
	size_t n = count_words(s->launch->argv);
	const char **argv = NEW_ARRAY(b->arena, const char *, n + more.n + 1);

	memcpy(argv, s->launch->argv, n * sizeof *argv);
	argv[own_words_at(s) + s->test->choice.at] =
		str_z(b->arena, f->choose(b->arena, list_choices(b)));
	for (size_t i = 0; i < more.n; i++)
		argv[n + i] = str_z(b->arena, more.v[i]);
	b->launch = *s->launch;
	b->launch.argv = argv;
	b->launch.wants_lines = b->launch.reports_hang = false;
}

static void
forget_batch(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i]->state == BATCH_RUNS)
			b->v[i]->state = BATCH_ALONE;
	b->n = 0;
}

static struct batch *
batch_new(struct batch_engine *e)
{
	struct arena *a = arena_open();
	struct batch *b = NEW(a, struct batch);

	b->arena = a;
	b->report = str_fmt_z(a, "%.*s/%zu", STR_ARG(e->folder.path), e->batches_n++);
	b->next = e->batches;
	b->previous = &e->batches;
	if (b->next)
		b->next->previous = &b->next;
	e->batches = b;
	return b;
}

static void
end_batch(struct batch *b)
{
	*b->previous = b->next;
	if (b->next)
		b->next->previous = b->previous;
	arena_close(b->arena);
}

/* false: the test has to run alone, or to wait. */
static bool
start_batch(struct batch_engine *e, struct seat *s)
{
	struct batch *b;
	int error;

	if (s->test->state != BATCH_WAITS && !batch_group_next(s->test->group))
		return false;
	if (!is_program(s) || !open_folder(e))
		return false;
	b = batch_new(e);
	choose_tests(b, s->test);
	if (b->n < 2) {
		for (size_t i = 0; i < b->n; i++)
			b->v[i]->state = BATCH_WAITS;
		s->test->group->first = 0;
		end_batch(b);
		return false;
	}
	fill_launch(b, s);
	s->leads = b;
	if (e->inner->type->start(e->inner, s->test->node, &b->launch, &error))
		return true;
	s->leads = NULL;
	forget_batch(b);
	end_batch(b);
	return false;
}

/* ---- the start of a test ---------------------------------------------------------- */

static bool
start_alone(struct batch_engine *e, struct seat *s, int *error)
{
	s->test->state = BATCH_ALONE;
	return e->inner->type->start(e->inner, s->test->node, s->launch, error);
}

static void
let_wait(struct batch_engine *e, struct seat *s)
{
	if (!s->waits)
		VEC_PUSH(e->arena, &e->waiting, s);
	s->waits = true;
}

/* The test has started: ends it where it is proven, else runs something. false: it could
 * not be started. */
static bool
go_on(struct batch_engine *e, struct seat *s, int *error)
{
	if (s->test->state == BATCH_PROVEN) {
		deliver(e, s, &s->proof, END_EXITED);
		return true;
	}
	if (s->test->state == BATCH_ALONE || !can_be_shared(s))
		return start_alone(e, s, error);
	if (start_batch(e, s))
		return true;
	if (s->test->state != BATCH_RUNS)
		return start_alone(e, s, error);
	let_wait(e, s);
	return true;
}

static void
go_on_or_tell(struct batch_engine *e, struct seat *s)
{
	const struct engine_listener *l = &e->base.listener;
	int error;

	if (go_on(e, s, &error))
		return;
	s->launch = NULL;
	l->not_started(l->context, s->test->node, error);
}

/* Those whose cases no process is at any more. */
static void
wake_waiting(struct batch_engine *e)
{
	size_t n = e->waiting.n, left = 0;
	struct seat **v = e->waiting.v;

	e->waiting.v = NULL;
	e->waiting.n = e->waiting.cap = 0;
	for (size_t i = 0; i < n; i++) {
		v[i]->waits = false;
		if (v[i]->test->state == BATCH_RUNS)
			let_wait(e, v[i]);
		else
			v[left++] = v[i];
	}
	for (size_t i = 0; i < left; i++)
		go_on_or_tell(e, v[i]);
}

/* ---- the end of a process for several --------------------------------------------- */

/* It has ended by itself, as a process does in which all tests passed. */
static bool
is_good(const struct outcome *o)
{
	return o->ending == END_EXITED && o->exit_code == 0 && !o->lost_output &&
	       !o->is_cut && o->output.n <= OUTPUT_MOST;
}

/* A report of more bytes says nothing. */
static bool
read_report(struct arena *a, const char *path, struct str *text)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size <= OUTPUT_MOST &&
	       file_read(a, path, text);
}

/* What *r and *end say lives in a, or in the output. */
static void
read_end(struct arena *a, const struct batch *b, const struct framework *f,
	const struct outcome *o, struct batch_report *r, struct batch_end *end)
{
	struct str output =
		str_cut(o->output.p, o->output.n <= OUTPUT_MOST ? o->output.n : 0);
	struct str text;

	end->is_good = is_good(o);
	if (read_report(a, b->report, &text) && f->read(a, text, output, r))
		end->report = r;
	if (!end->is_good)
		end->last_begun = f->last_begun(output);
	end->is_good = end->is_good && end->report;
}

/* A part of what the process took: as much as its case took of the time of all cases. */
static uint64_t
share_of(uint64_t whole, uint64_t part_ns, uint64_t all_ns, size_t n)
{
	if (!all_ns)
		return whole / n;
	return (uint64_t)((double)whole * (double)part_ns / (double)all_ns);
}

/* Each case has its own time, and an equal part of what the process took besides. Only
 * these numbers and the outputs stay. */
static void
keep_proofs(struct batch_engine *e, const struct batch *b,
	const struct case_report *cases, const struct outcome *o)
{
	uint64_t all_ns = 0, rest_ns = 0, before_ns = 0;

	for (size_t i = 0; i < b->n; i++)
		all_ns += cases[i].duration_ns;
	if (o->duration_ns > all_ns)
		rest_ns = (o->duration_ns - all_ns) / b->n;
	for (size_t i = 0; i < b->n; before_ns += cases[i++].duration_ns) {
		struct seat *s = seat_of(e, b->v[i]->node);
		uint64_t own_ns = cases[i].duration_ns;

		if (b->v[i]->state != BATCH_PROVEN || s->is_proven)
			continue;
		s->is_proven = true;
		s->proof = (struct proof){
			.started_us = o->started_us + (int64_t)(before_ns / 1000),
			.duration_ns = own_ns + rest_ns,
			.user_ns = share_of(o->user_ns, own_ns, all_ns, b->n),
			.system_ns = share_of(o->system_ns, own_ns, all_ns, b->n),
			.peak_rss_bytes = o->peak_rss_bytes,
			.output_at = spool_size(&e->outputs),
			.output_n = cases[i].output.n,
		};
		spool_add(&e->outputs, cases[i].output);
	}
}

static void
take_end(struct batch_engine *e, struct batch *b, const struct outcome *o)
{
	struct arena *scratch = arena_open();
	struct batch_group *g = b->v[0]->group;
	struct batch_report report = {.v = {0}};
	struct batch_end end = {.last_begun = STR_NONE};
	struct case_report *cases = NEW_ARRAY(scratch, struct case_report, b->n);
	struct long_text output = outcome_text(o);

	read_end(scratch, b, g->framework, o, &report, &end);
	unlink(b->report);
	batch_group_settle(g, b->v, b->n, &end, cases);
	keep_proofs(e, b, cases, o);
	long_text_let_go(&output, 0, output.s.n);
	arena_close(scratch);
}

/* ---- what the inner engine says --------------------------------------------------- */

static bool
on_line(void *context, node_id node, const struct long_text *line)
{
	struct batch_engine *e = context;
	const struct engine_listener *l = &e->base.listener;

	return seat_of(e, node)->leads || !l->line || l->line(l->context, node, line);
}

static void
on_part(void *context, node_id node, struct str bytes)
{
	struct batch_engine *e = context;
	const struct engine_listener *l = &e->base.listener;

	if (l->part && !seat_of(e, node)->leads)
		l->part(l->context, node, bytes);
}

static bool
on_search(void *context, node_id node, const struct outcome *o)
{
	struct batch_engine *e = context;
	const struct engine_listener *l = &e->base.listener;

	return seat_of(e, node)->leads || !l->search || l->search(l->context, node, o);
}

/* The outcome of the process is that of its test where nothing else can be known. */
static bool
is_over(const struct batch_engine *e, const struct batch *b, const struct outcome *o)
{
	return e->is_interrupted || o->ending == END_NOT_STARTED ||
	       (b->is_steered && o->ending == END_TIMED_OUT);
}

static void
on_ended(void *context, node_id node, const struct outcome *o)
{
	struct batch_engine *e = context;
	const struct engine_listener *l = &e->base.listener;
	struct seat *s = seat_of(e, node);
	struct batch *b = s->leads;

	s->leads = NULL;
	if (b)
		take_end(e, b, o);
	if (b && !is_over(e, b, o)) {
		go_on_or_tell(e, s);
	} else {
		s->launch = NULL;
		if (s->test)
			s->test->state = BATCH_ALONE;
		l->ended(l->context, node, o);
	}
	if (b)
		end_batch(b);
	if (b && !e->is_interrupted)
		wake_waiting(e);
}

static void
on_not_started(void *context, node_id node, int error)
{
	struct batch_engine *e = context;
	const struct engine_listener *l = &e->base.listener;
	struct seat *s = seat_of(e, node);
	struct batch *b = s->leads;

	s->leads = NULL;
	s->launch = NULL;
	if (b) {
		forget_batch(b);
		end_batch(b);
	}
	l->not_started(l->context, node, error);
	if (b)
		wake_waiting(e);
}

static bool
has_room(void *context)
{
	const struct engine_listener *l =
		&((struct batch_engine *)context)->base.listener;

	return !l->has_room || l->has_room(l->context);
}

static void
on_left(void *context, int pid, struct str name)
{
	const struct engine_listener *l =
		&((struct batch_engine *)context)->base.listener;

	if (l->left)
		l->left(l->context, pid, name);
}

static void
on_leaked(void *context, node_id node, int pid, struct str name)
{
	const struct engine_listener *l =
		&((struct batch_engine *)context)->base.listener;

	l->leaked(l->context, node, pid, name);
}

static void
on_interrupted(void *context, int signal)
{
	const struct engine_listener *l =
		&((struct batch_engine *)context)->base.listener;

	l->interrupted(l->context, signal);
}

/* ---- the engine ------------------------------------------------------------------- */

static bool
batch_start(struct engine *base, node_id node, const struct launch *l, int *error)
{
	struct batch_engine *e = batch_engine_of(base);
	struct seat *s = seat_of(e, node);

	s->test = e->groups.by_node[node];
	if (!s->test)
		return e->inner->type->start(e->inner, node, l, error);
	s->launch = l;
	if (go_on(e, s, error))
		return true;
	s->launch = NULL;
	return false;
}

/* A test that waits for the process of another one runs alone then, unless its time is
 * over. */
static void
leave_waiting(struct batch_engine *e, struct seat *s, uint64_t timeout_ns)
{
	const struct proof nothing = {.started_us = loop_wall_us()};
	size_t left = 0;

	for (size_t i = 0; i < e->waiting.n; i++)
		if (e->waiting.v[i] != s)
			e->waiting.v[left++] = e->waiting.v[i];
	e->waiting.n = left;
	s->waits = false;
	s->test->state = BATCH_ALONE;
	if (timeout_ns)
		go_on_or_tell(e, s);
	else
		deliver(e, s, &nothing, END_TIMED_OUT);
}

static void
batch_set_limit(struct engine *base, node_id node, uint64_t timeout_ns, bool restarts)
{
	struct batch_engine *e = batch_engine_of(base);
	struct seat *s = seat_of(e, node);

	if (s->waits)
		leave_waiting(e, s, timeout_ns);
	if (s->leads)
		s->leads->is_steered = true;
	e->inner->type->set_limit(e->inner, node, timeout_ns, restarts);
}

static struct str
batch_tail(const struct engine *base, struct arena *a, node_id node, size_t n)
{
	const struct batch_engine *e = (const struct batch_engine *)base;

	/* What the process of others writes is not its own. */
	return e->seats[node].waits ? STR("")
				    : e->inner->type->tail(e->inner, a, node, n);
}

static node_id
batch_owner(struct engine *base, int pid)
{
	struct batch_engine *e = batch_engine_of(base);

	return e->inner->type->owner(e->inner, pid);
}

/* The tests that wait end with an outcome that does not count: the run is over. */
static void
batch_interrupt(struct engine *base, int signal)
{
	struct batch_engine *e = batch_engine_of(base);
	const struct engine_listener *l = &e->base.listener;
	struct outcome o = {.ending = END_NOT_STARTED};

	e->is_interrupted = true;
	for (size_t i = 0; i < e->waiting.n; i++)
		l->ended(l->context, e->waiting.v[i]->test->node, &o);
	e->waiting.n = 0;
	e->inner->type->interrupt(e->inner, signal);
}

static void
batch_wait(struct engine *base, uint64_t until_ns)
{
	struct batch_engine *e = batch_engine_of(base);
	bool reports = e->ready.first && !e->base.holds_ends;

	e->inner->holds_ends = e->base.holds_ends;
	e->inner->type->wait(e->inner, reports ? 0 : until_ns);
	attempt_queue_serve(&e->ready, &e->base, end_delivery);
}

static void
batch_close(struct engine *base)
{
	struct batch_engine *e = batch_engine_of(base);

	e->inner->type->close(e->inner);
	for (size_t i = 0; i < e->deliveries.n; i++)
		attempt_output_close(&e->deliveries.v[i]->written);
	while (e->batches)
		end_batch(e->batches);
	spool_close(&e->outputs);
	arena_close(e->output_arena);
	if (e->has_folder)
		scratch_folder_close(e->arena, &e->folder);
}

struct engine *
engine_batch_open(const void *options, struct arena *a, struct str directory,
	const struct engine_listener *listener, struct diag *d)
{
	static const struct engine_type type = {
		.name = "batch",
		.start = batch_start,
		.set_limit = batch_set_limit,
		.tail = batch_tail,
		.owner = batch_owner,
		.interrupt = batch_interrupt,
		.wait = batch_wait,
		.close = batch_close,
	};
	const struct batch_options *o = options;
	struct batch_engine *e = NEW(a, struct batch_engine);
	struct engine_listener of_inner = {.context = e,
		.line_tag = listener->line_tag,
		.line = on_line,
		.part = on_part,
		.has_room = has_room,
		.search = on_search,
		.ended = on_ended,
		.not_started = on_not_started,
		.left = on_left,
		.leaked = listener->leaked ? on_leaked : NULL,
		.interrupted = on_interrupted};

	INVARIANT(!listener->bytes);
	e->base = (struct engine){.type = &type, .listener = *listener};
	e->arena = a;
	e->directory = str_z(a, directory);
	e->groups = batch_groups_build(a, o);
	e->seats = NEW_ARRAY(a, struct seat, e->groups.n);
	e->inner = engine_local_open(NULL, a, directory, &of_inner, d);
	if (!e->inner)
		return NULL;
	e->output_arena = arena_open();
	e->outputs = spool_in(e->output_arena, e->directory);
	e->base.loop = e->inner->loop;
	return &e->base;
}
