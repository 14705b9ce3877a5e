/*
 * A program that changes while the tests run is noticed when they have ended, since its
 * sum was made before. Other files may be what the tests themselves write: their sums are
 * made again after the run. A program that changes in each run is not followed at once
 * more than once. See watch_rounds.h.
 */
#include "compat/run/watch_rounds.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

#include "compat/console/report_text.h"
#include "compat/run/build_first.h"
#include "compat/run/watched_tests.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"
#include "runner/cmakelang/cmake_program.h"
#include "runner/process/guardian.h"
#include "runner/process/process.h"

/* A build writes many files, and a linker writes one in steps. */
#define QUIET_NS 200000000u

enum { NAMES_SHOWN = 5 };
/* Before the name of a test in the results of a round. */
enum { NOTED_PASSED = '+', NOTED_FAILED = '-' };

/* Tests, with the memory that they are in. */
struct look {
	struct arena *arena;
	struct watched_tests tests;
};
struct watcher {
	struct run_context *c;
	const struct run_settings *s;
	struct folder_watch *files, *sources; /* sources: with --build, or NULL */
	struct str source; /* the folder of the sources */
	struct look seen; /* as the tests were when they ran last */
	bool is_unread; /* no tests could be read */
	bool runs_all; /* in the next round */
	bool is_right_after; /* no change was waited for since the last round */
	bool was_right_after; /* nor before the last round */
	bool needs_build, build_failed;
	bool is_said; /* how things are */
	struct arena *names_arena; /* of the following two */
	struct str_list failed; /* in the last round, or did not run */
	size_t unknown; /* of them: did not run */
	struct str_list round; /* the tests of the last round; none: all */
	int results; /* the file of the round that runs; -1: none can be made */
	enum exit_code code;
	bool is_over;
	/* while it waits or a round runs: */
	struct loop *loop;
	struct loop_timer *timer;
	int terminal; /* -1: none is read */
	bool has_changed;
	int pid; /* of the round; 0: none runs */
	struct process_end end;
};

static void
say(struct watcher *w, struct str text)
{
	console_raw_error(
		w->c->console, str_fmt(w->c->arena, "--watch: %.*s\n", STR_ARG(text)));
}

/* Ends the watch. */
static bool
give_up(struct watcher *w, struct str text)
{
	say(w, text);
	w->code = EXIT_USAGE;
	w->is_over = true;
	return false;
}

/* ---- sources --------------------------------------------------------------------- */

/* Hidden folders and the build tree are left out. */
static bool
is_source_folder(const struct watcher *w, struct str name, struct str path)
{
	return !str_begins(name, STR(".")) && !str_eq(path, w->s->directory) &&
	       path_is_directory(path.p);
}

static bool
watch_source_folder(struct watcher *w, struct str folder)
{
	if (folder_watch_add(w->sources, folder.p, FOLDER_CHANGES) || errno == ENOENT ||
		errno == EACCES)
		return true;
	return give_up(w, str_fmt(w->c->arena, "the folder %.*s cannot be watched: %s",
				  STR_ARG(folder), strerror(errno)));
}

/* Folders may be new. */
static bool
watch_sources(struct watcher *w)
{
	struct arena *a = arena_open();
	str_vec folders = {0};
	bool all = true;

	VEC_PUSH(a, &folders, w->source);
	for (size_t i = 0; all && i < folders.n; i++) {
		str_vec names = {0};

		all = watch_source_folder(w, folders.v[i]);
		if (!directory_read(a, folders.v[i].p, &names))
			continue;
		for (size_t k = 0; k < names.n; k++) {
			struct str path = path_join(a, folders.v[i], names.v[k]);

			if (is_source_folder(w, names.v[k], path))
				VEC_PUSH(a, &folders, path);
		}
	}
	arena_close(a);
	return all;
}

/* Changes that come from now on are of the next build. false: the build failed, or the
 * watch is over. */
static bool
build(struct watcher *w)
{
	(void)folder_watch_has_changed(w->sources);
	if (!watch_sources(w))
		return false;
	w->is_said = false;
	w->build_failed = !build_first(w->c, w->s);
	w->needs_build = w->build_failed;
	if (!w->build_failed)
		return true;
	w->is_over = w->c->interrupted != 0;
	w->code = EXIT_TESTS_FAILED;
	return false;
}

/* ---- which tests ----------------------------------------------------------------- */

static struct map
map_of_round(const struct watcher *w, struct arena *a)
{
	struct map names = map_in(a);

	if (w->round.n)
		return map_of(a, w->round);
	for (size_t i = 0; i < w->seen.tests.v.n; i++)
		map_add(&names, w->seen.tests.v.v[i].name);
	return names;
}

/* What changed in each of two rounds, without a change between them, changes in each
 * round. */
static void
drop_restless(struct watcher *w, struct arena *a, str_vec *changed)
{
	struct map names = map_of_round(w, a);
	size_t kept = 0;

	for (size_t i = 0; i < changed->n; i++) {
		if (!map_has(&names, changed->v[i]))
			changed->v[kept++] = changed->v[i];
		else
			say(w, str_fmt(w->c->arena,
				       "what %.*s needs changes in each run, and is "
				       "ignored until the next change",
				       STR_ARG(changed->v[i])));
	}
	changed->n = kept;
}

static void
choose_names(struct watcher *w, const str_vec *changed)
{
	struct arena *a = arena_open();
	struct map names = map_in(a);
	str_vec round = {0};

	for (size_t i = 0; i < changed->n; i++)
		if (map_add(&names, changed->v[i]))
			VEC_PUSH(a, &round, str_dup(a, changed->v[i]));
	for (size_t i = 0; i < w->failed.n; i++)
		if (map_has(&w->seen.tests.names, w->failed.v[i]) &&
			map_add(&names, w->failed.v[i]))
			VEC_PUSH(a, &round, str_dup(a, w->failed.v[i]));
	arena_close(w->names_arena);
	w->names_arena = a;
	w->failed.n = 0;
	w->round = str_vec_list(&round);
}

static void
take_look(struct watcher *w, const struct look *now)
{
	if (w->seen.arena)
		arena_close(w->seen.arena);
	w->seen = *now;
}

/* Looks at all files. true: tests are to run. */
static bool
look(struct watcher *w)
{
	struct look now = {.arena = arena_open()};
	struct run_context c = {.arena = now.arena,
		.dialect = w->c->dialect,
		.console = w->c->console,
		.diag = diag_in(now.arena)};
	str_vec changed = {0};
	enum exit_code code;

	(void)folder_watch_has_changed(w->files);
	code = watched_tests_read(&now.tests, &c, w->s, w->files);
	if (code == EXIT_USAGE) {
		w->code = code;
		w->is_over = true;
	}
	w->is_unread = code == EXIT_TESTS_FAILED;
	if (w->is_unread)
		w->runs_all = true; /* the run says what is wrong */
	watched_tests_changed(&now.tests, &w->seen.tests, &changed);
	if (w->is_right_after && w->was_right_after)
		drop_restless(w, now.arena, &changed);
	take_look(w, &now);
	if (w->is_over || (!changed.n && (!w->runs_all || w->is_right_after)))
		return false;
	choose_names(w, &changed);
	if (w->runs_all)
		w->round.n = 0;
	return true;
}

/* ---- waiting --------------------------------------------------------------------- */

static void
on_quiet(void *context)
{
	struct watcher *w = context;

	w->has_changed = true;
}

static void
on_change(void *context)
{
	struct watcher *w = context;

	if (folder_watch_has_changed(w->files))
		loop_timer_start(w->timer, loop_now_ns() + QUIET_NS);
}

static void
on_source(void *context)
{
	struct watcher *w = context;

	if (!folder_watch_has_changed(w->sources))
		return;
	w->needs_build = true;
	loop_timer_start(w->timer, loop_now_ns() + QUIET_NS);
}

/* Lines from the terminal: "q" ends, an empty one runs all. */
static void
on_key(void *context)
{
	struct watcher *w = context;
	char text[256];
	ssize_t n = file_get_now(w->terminal, text, sizeof text);

	if (n == 0 || (n > 0 && text[0] == 'q'))
		w->is_over = true;
	else if (n > 0 && text[0] == '\n')
		w->runs_all = w->has_changed = true;
}

static void
on_signal(void *context, int signal, bool by_terminal)
{
	struct watcher *w = context;

	if (w->pid && !by_terminal)
		kill(w->pid, loop_passed_on(signal));
	if (w->pid || signal != SIGINT)
		w->c->interrupted = signal;
	w->is_over = true;
}

/* Of this process alone, so that it can be made non-blocking. -1: no one types here. */
static int
open_terminal(void)
{
	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp())
		return -1;
	return file_open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC, 0);
}

static void
say_state(struct watcher *w)
{
	struct buf text = {.arena = w->c->arena};

	if (w->is_said)
		return;
	w->is_said = true;
	if (w->build_failed)
		buf_z(&text, "the build failed");
	else if (w->failed.n)
		buf_fmt(&text, "%zu of %zu tests failed", w->failed.n - w->unknown,
			w->seen.tests.v.n);
	else if (w->code != EXIT_OK)
		buf_z(&text, "the run failed");
	else
		buf_fmt(&text, "no test of %zu failed", w->seen.tests.v.n);
	if (w->failed.n && w->unknown)
		buf_fmt(&text, ", %zu did not run", w->unknown);
	buf_z(&text, "; waiting for a change");
	if (w->terminal >= 0)
		buf_z(&text, " (Enter: run all, q and Enter: end)");
	say(w, buf_as_str(&text));
}

static bool
watch_descriptors(struct watcher *w)
{
	w->timer = loop_timer_new(w->loop, on_quiet, w);
	if (w->terminal >= 0)
		(void)loop_watch(w->loop, w->terminal, on_key, w);
	return loop_watch(w->loop, folder_watch_descriptor(w->files), on_change, w) &&
	       (!w->sources || loop_watch(w->loop, folder_watch_descriptor(w->sources),
				       on_source, w));
}

/* false: the watch is over. */
static bool
wait_for_change(struct watcher *w)
{
	struct arena *a = arena_open();
	struct loop_listener listener = {.context = w, .signal = on_signal};
	struct diag d = diag_in(a);

	w->terminal = open_terminal();
	w->has_changed = false;
	w->loop = loop_open(a, &listener, &d);
	if (!w->loop || !watch_descriptors(w))
		(void)give_up(w, STR("changes cannot be waited for"));
	else
		say_state(w);
	while (!w->has_changed && !w->is_over)
		loop_turn(w->loop, LOOP_FOREVER);
	if (w->loop)
		loop_close(w->loop);
	file_close(&w->terminal);
	arena_close(a);
	w->is_right_after = false;
	return !w->is_over;
}

/* false: the watch is over. */
static bool
choose_round(struct watcher *w)
{
	for (;;) {
		if ((!w->needs_build || build(w)) && look(w))
			return true;
		if (w->is_over || !wait_for_change(w))
			return false;
	}
}

/* ---- a round --------------------------------------------------------------------- */

static void
say_round(struct watcher *w)
{
	struct buf text = {.arena = w->c->arena};

	if (!w->round.n)
		return;
	buf_fmt(&text, "%zu of %zu tests:", w->round.n, w->seen.tests.v.n);
	for (size_t i = 0; i < w->round.n && i < NAMES_SHOWN; i++)
		buf_fmt(&text, "%s %.*s", i ? "," : "", STR_ARG(w->round.v[i]));
	if (w->round.n > NAMES_SHOWN)
		buf_fmt(&text, " and %zu more", w->round.n - NAMES_SHOWN);
	say(w, buf_as_str(&text));
}

/* Fixtures are added as in the run of all. */
static const struct run_settings *
settings_of_round(const struct watcher *w)
{
	struct run_settings *s = NEW(w->c->arena, struct run_settings);
	struct selection_options *o = &s->options.selection;
	const struct selection_options *all = &w->s->options.selection;

	*s = *w->s;
	s->options.run.watches = s->options.run.builds = false;
	s->results = w->results > 0 ? w->results : 0;
	if (!w->round.n)
		return s;
	*o = (struct selection_options){.exclude_fixture = all->exclude_fixture,
		.exclude_fixture_setup = all->exclude_fixture_setup,
		.exclude_fixture_cleanup = all->exclude_fixture_cleanup,
		.strict = all->strict};
	for (size_t i = 0; i < w->round.n; i++)
		VEC_PUSH(w->c->arena, &o->tests, str_dup(w->c->arena, w->round.v[i]));
	return s;
}

static void
close_watch(struct watcher *w)
{
	folder_watch_close(w->files);
	folder_watch_close(w->sources);
	if (w->seen.arena)
		arena_close(w->seen.arena);
	arena_close(w->names_arena);
}

/* The process of the round ends with the one that waits for it. */
static const struct run_settings *
begin_round(struct watcher *w)
{
	const struct run_settings *s = settings_of_round(w);

	close_watch(w);
#ifdef PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
	guardian_begin_again();
	return s;
}

static void
on_children(void *context)
{
	struct watcher *w = context;
	struct process_end end;

	while (process_reap(&end))
		if (end.pid == w->pid) {
			w->end = end;
			w->pid = 0;
		}
}

static void
wait_for_round(struct watcher *w)
{
	struct arena *a = arena_open();
	struct loop_listener listener = {
		.context = w, .children = on_children, .signal = on_signal};
	struct diag d = diag_in(a);

	w->end = (struct process_end){.was_signalled = true}; /* until it is known */
	w->loop = loop_open(a, &listener, &d);
	if (!w->loop)
		kill(w->pid, SIGTERM);
	on_children(w);
	while (w->pid && w->loop)
		loop_turn(w->loop, LOOP_FOREVER);
	if (w->loop)
		loop_close(w->loop);
	else
		w->is_over = true;
	arena_close(a);
}

void
watch_rounds_tell(struct arena *a, const struct run_settings *s, const struct tally *t)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; s->results && i < t->results.n; i++) {
		const struct result *r = &t->results.v[i];
		bool fails = report_fails_run(r->verdict.kind, r->flaky);

		buf_fmt(&b, "%c%.*s%c", fails ? NOTED_FAILED : NOTED_PASSED,
			STR_ARG(r->test->name), '\0');
	}
	if (b.n)
		(void)file_put(s->results, buf_as_str(&b));
}

/* As far as it has been written. */
static struct str
read_results(const struct watcher *w, struct arena *a)
{
	struct buf b = {.arena = a};
	char part[4096];
	ssize_t n;

	while ((n = file_get_at(w->results, part, sizeof part, (off_t)b.n)) > 0)
		buf_add(&b, part, (size_t)n);
	return buf_as_str(&b);
}

static void
note_unknown(struct watcher *w, str_vec *again, struct map *noted, struct str name)
{
	if (!map_add(noted, name))
		return;
	VEC_PUSH(w->names_arena, again, name);
	w->unknown++;
}

/* Which tests of the round failed, or did not run. */
static void
note_results(struct watcher *w, struct arena *scratch)
{
	struct str text = read_results(w, scratch);
	struct map noted = map_in(scratch);
	bool is_known = text.n > 0;
	str_vec again = {0};

	w->unknown = 0;
	while (str_find(text, '\0') < text.n) {
		struct str word = str_take(&text, '\0'), name = str_from(word, 1);

		(void)map_add(&noted, name);
		if (*word.p == NOTED_FAILED)
			VEC_PUSH(w->names_arena, &again, str_dup(w->names_arena, name));
	}
	for (size_t i = 0; is_known && i < w->round.n; i++)
		note_unknown(w, &again, &noted, w->round.v[i]);
	for (size_t i = 0; is_known && !w->round.n && i < w->seen.tests.v.n; i++)
		note_unknown(w, &again, &noted,
			str_dup(w->names_arena, w->seen.tests.v.v[i].name));
	w->failed = str_vec_list(&again);
}

/* Where it is not known which tests failed, all run again. */
static void
note_end(struct watcher *w)
{
	struct arena *scratch = arena_open();
	struct map names = map_of_round(w, scratch);

	watched_tests_look_again(&w->seen.tests, &names);
	w->code = w->end.was_signalled ? EXIT_TESTS_FAILED
				       : (enum exit_code)w->end.exit_code;
	w->failed.n = 0;
	if (w->code == EXIT_TESTS_FAILED && !w->is_unread)
		note_results(w, scratch);
	file_close(&w->results);
	w->runs_all = w->code != EXIT_OK && !w->failed.n;
	w->was_right_after = w->is_right_after;
	w->is_right_after = true;
	w->is_said = false;
	arena_close(scratch);
}

/* ---- the watch ------------------------------------------------------------------- */

/* false: it cannot begin, which was said. */
static bool
open_watch(struct watcher *w)
{
	struct arena *a = w->c->arena;

	w->files = folder_watch_open(a);
	if (w->files && w->s->options.run.builds)
		w->sources = folder_watch_open(a);
	if (!w->files || (w->s->options.run.builds && !w->sources))
		return give_up(
			w, str_fmt(a, "files cannot be watched: %s", strerror(errno)));
	if (!w->sources)
		return true;
	w->source = cmake_source_directory(a, w->s->directory);
	if (!w->source.n || str_eq(w->source, w->s->directory))
		return give_up(w, STR("with --build, the build tree must be one of "
				      "CMake's, apart from the sources"));
	w->needs_build = true;
	return true;
}

const struct run_settings *
watch_rounds(struct run_context *c, const struct run_settings *s, enum exit_code *code)
{
	struct watcher w = {
		.c = c, .s = s, .runs_all = true, .names_arena = arena_open()};

	w.is_over = !open_watch(&w);
	while (!w.is_over && choose_round(&w)) {
		say_round(&w);
		streams_drain();
		w.results = file_unnamed_in(P_tmpdir);
		w.pid = fork();
		if (w.pid == 0)
			return begin_round(&w);
		if (w.pid < 0) {
			(void)give_up(&w, STR("no process can be started"));
			break;
		}
		wait_for_round(&w);
		note_end(&w);
	}
	close_watch(&w);
	match_set_close(c->patterns);
	*code = w.code;
	return NULL;
}
