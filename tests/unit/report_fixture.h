/*
 * A run written down: tests, a selection of all of them, and the events that a report is
 * told, so that its text can be compared with what ctest prints for the same.
 */
#ifndef CCTR_TESTS_UNIT_REPORT_FIXTURE_H
#define CCTR_TESTS_UNIT_REPORT_FIXTURE_H

#include "compat/options/options.h"
#include "runner/cmakelang/cmake_text.h"
#include "runner/run/report.h"

enum { FIXTURE_TESTS = 128 };

struct fixture {
	struct arena *a;
	struct dialect dialect;
	struct options o;
	struct test tests[FIXTURE_TESTS];
	struct properties properties[FIXTURE_TESTS];
	struct selected selected[FIXTURE_TESTS];
	struct suite suite;
	struct selection selection;
	struct tally tally;
	struct diag diag;
	size_t done;
};

/* What happened to one attempt; zero is a pass in no time. */
struct play {
	size_t test;
	struct verdict verdict;
	enum ending ending;
	int signal;
	double seconds;
	const char *output;
	enum refusal_kind refusal;
	const char *out, *err, *log, *search;
	unsigned run, runs_left;
	bool again;
	const char *label; /* added by the output */
};

static inline struct fixture *
fixture_open(unsigned version)
{
	struct arena *a = arena_open();
	struct fixture *f = NEW(a, struct fixture);

	f->a = a;
	f->dialect = dialect_of(version);
	f->o.report.max_width = 30;
	f->o.report.output.passed = 1024;
	f->o.report.output.failed = 300 * 1024;
	f->o.run.repeat.count = 1;
	f->suite.tests = f->tests;
	f->selection.suite = &f->suite;
	f->selection.v = f->selected;
	f->diag = diag_in(a);
	return f;
}

static inline void
fixture_close(struct fixture *f)
{
	arena_close(f->a);
}

/* The index of the new test; its number is index + 1. The command is "sh -c true". */
static inline size_t
fixture_add(struct fixture *f, const char *name)
{
	static struct str command[] = {{"sh", 2}, {"-c", 2}, {"true", 4}};
	size_t i = f->suite.n++;

	f->properties[i] = properties_default;
	f->tests[i] = (struct test){.name = str_of(name),
		.command = {command, 3},
		.directory = STR("/build"),
		.properties = &f->properties[i]};
	f->selected[i] = (struct selected){.test = (test_id)i, .number = (unsigned)i + 1};
	f->selection.n = f->selection.loaded = f->suite.n;
	f->selection.largest_number = (unsigned)f->suite.n;
	if (f->tests[i].name.n > f->selection.longest_name)
		f->selection.longest_name = f->tests[i].name.n;
	return i;
}

/* "a;b" */
static inline void
fixture_labels(struct fixture *f, size_t test, const char *labels)
{
	f->properties[test].labels = cmake_list_split(f->a, str_of(labels), false);
}

static inline void
fixture_tell(struct report *r, const struct event *e)
{
	r->type->event(r, e);
}

static inline void
fixture_begin(struct report *r)
{
	fixture_tell(r, &(struct event){.kind = EVENT_BEGIN});
}

static inline void
fixture_lines(struct report *r, const struct attempt *a, struct str output)
{
	while (output.n) {
		size_t end = str_find(output, '\n');

		fixture_tell(r, &(struct event){.kind = EVENT_OUTPUT,
					.attempt = a,
					.text = {output.p, end}});
		output = str_from(output, end < output.n ? end + 1 : end);
	}
}

static inline bool
fixture_is_early(enum refusal_kind k)
{
	return k >= REFUSED_RESOURCES && k <= REFUSED_FIXTURE;
}

static inline void
fixture_record(struct fixture *f, const struct attempt *a, const struct outcome *o,
	struct verdict v)
{
	struct result result = {.node = a->node,
		.selected = a->selected,
		.test = a->test,
		.number = a->number,
		.outcome = *o,
		.verdict = v};

	VEC_PUSH(f->a, &f->tally.results, result);
	if (verdict_is_pass(v.kind))
		f->tally.passed++;
	else if (!verdict_is_uncounted(v.kind))
		f->tally.failed++;
	f->done++;
}

static inline void
fixture_play(struct fixture *f, struct report *r, const struct play *p)
{
	static const char *const argv[] = {"/bin/sh", "-c", "true", NULL};
	struct attempt a = {.node = (node_id)p->test,
		.selected = &f->selected[p->test],
		.test = &f->tests[p->test],
		.number = (unsigned)p->test + 1,
		.run = p->run ? p->run : 1,
		.runs_left = p->runs_left ? p->runs_left : 1};
	struct launch l = {.path = "/bin/sh",
		.argv = argv,
		.timeout_s = 1e7,
		.search = str_of(p->search ? p->search : "")};
	struct refusal refusal = {.kind = p->refusal,
		.out = str_of(p->out ? p->out : ""),
		.err = str_of(p->err ? p->err : ""),
		.log = str_of(p->log ? p->log : "")};
	struct str *label = NEW(f->a, struct str);
	struct outcome o = {.ending = p->refusal                     ? END_NOT_STARTED
				      : p->ending == END_NOT_STARTED ? END_EXITED
								     : p->ending,
		.refusal = p->refusal,
		.signal = p->signal,
		.started_us = 1000000000000000,
		.duration_ns = (uint64_t)(p->seconds * 1e9 + 0.5),
		.output = str_of(p->output ? p->output : ""),
		.labels = {label, p->label ? 1 : 0}};

	*label = str_of(p->label);
	fixture_tell(r, &(struct event){.kind = EVENT_START, .attempt = &a});
	if (!fixture_is_early(p->refusal))
		fixture_tell(r, &(struct event){.kind = EVENT_LAUNCH,
					.attempt = &a,
					.launch = &l,
					.refusal = &refusal});
	if (r->wants_lines)
		fixture_lines(r, &a, o.output);
	fixture_tell(r, &(struct event){.kind = EVENT_END,
				.attempt = &a,
				.launch = &l,
				.refusal = &refusal,
				.outcome = &o,
				.verdict = &p->verdict,
				.is_last = !p->again,
				.done = f->done + 1});
	if (!p->again)
		fixture_record(f, &a, &o, p->verdict);
	fixture_tell(r, &(struct event){.kind = EVENT_IDLE});
}

static inline void
fixture_finish(struct fixture *f, struct report *r, double seconds)
{
	f->tally.duration_ns = (uint64_t)(seconds * 1e9);
	fixture_tell(r, &(struct event){.kind = EVENT_FINISH, .tally = &f->tally});
}

#endif
