/*
 * Starts cmake in its own folder under TMPDIR, and answers it until it ends. No event
 * loop runs here while an answer is made, since a step has its own.
 *
 * cmake also writes to our standard output when it runs: our own text must be written
 * before.
 *
 * A message of cmake is kept back until its call stack has come. If the message's own
 * frame is in the prelude, the next frame replaces it.
 */
#include "compat/dashboard/script/script_host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/dashboard/script/script_trace.h"
#include "runner/base/atomic_file.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/scratch_folder.h"
#include "runner/base/streams.h"
#include "runner/cmakelang/cmake_child.h"
#include "runner/cmakelang/cmake_program.h"
#include "runner/cmakelang/cmake_text.h"

enum { HOLD_NS = 200 * 1000 * 1000 };

struct host {
	const struct script_job *job;
	struct arena *a;
	struct scratch_folder own;
	struct str folder, prelude, script, record, reply, environment, output_path,
		trace;
	struct cmake_child child;
	struct buf held; /* standard error that is not shown yet */
	struct buf line; /* of it, coloured: what follows the last whole line */
	bool has_colours;
	/* Standard output of cmake, whose first lines are about its options; -1: it is
	 * ours. */
	int output;
	size_t own_lines; /* so many of them are still to come */
	bool saw_end; /* the script's last message was read */
	size_t errors;
	int read_error; /* errno: some of cmake's output is lost; 0: none */
	bool has_request, has_ended, messages_end;
	int interrupted;
	struct diag *d;
};

/* ---- the folder ------------------------------------------------------------------ */

static bool
open_folder(struct host *h)
{
	scratch_folder_sweep(h->a);
	if (!scratch_folder_open(h->a, &h->own))
		return diag_error(h->d, NO_PLACE, "cannot make a temporary folder: %s",
			strerror(errno));
	h->folder = h->own.path;
	h->script = path_join(h->a, h->folder, STR("script.cmake"));
	h->record = path_join(h->a, h->folder, STR("record"));
	h->reply = path_join(h->a, h->folder, STR("reply.cmake"));
	h->environment = path_join(h->a, h->folder, STR("environment"));
	h->output_path = path_join(h->a, h->folder, STR("output"));
	h->trace = path_join(h->a, h->folder, STR("trace"));
	h->prelude = path_join(h->a, h->job->share, STR("CctrScript.cmake"));
	return true;
}

static void
set_limit(struct buf *b, uint64_t limit)
{
	buf_fmt(b, "set(CMAKE_MAXIMUM_RECURSION_DEPTH %llu)\n",
		(unsigned long long)limit);
}

static bool
write_script(struct host *h)
{
	struct buf b = {.arena = h->a};

	buf_z(&b, "set_property(GLOBAL PROPERTY CCTR_FOLDER ");
	cmake_quote(&b, h->folder);
	buf_z(&b, ")\n");
	cmake_include(&b, h->prelude);
	buf_str(&b, h->job->start);
	if (h->job->limit->set)
		set_limit(&b, h->job->limit->set);
	cmake_include(&b, h->job->file);
	if (h->job->limit->set)
		set_limit(&b, h->job->limit->named);
	/* Otherwise ctest would now do what variables say. */
	buf_z(&b, "_cctr_end()\nset(CTEST_RUN_CURRENT_SCRIPT OFF)\n");
	return file_write(h->a, h->script.p, ".tmp", buf_as_str(&b)) ||
	       diag_error(h->d, NO_PLACE, "cannot write %s: %s", h->script.p,
		       strerror(errno));
}

/* ---- its messages ---------------------------------------------------------------- */

/* Where the first message begins that may continue; all before it can be shown. Another
 * line at the margin ends a message. */
static size_t
find_unfinished(struct str text)
{
	size_t start = text.n, at = 0;

	while (at < text.n) {
		struct str line = str_from(text, at);
		size_t n = str_find(line, '\n');

		if (n == line.n)
			return start < at                         ? start
			       : cmake_frames_begin_message(line) ? at
								  : text.n;
		if (cmake_frames_begin_message(line))
			start = at;
		else if (n && *line.p != ' ' && !str_begins(line, STR("Call Stack (")))
			start = text.n;
		at += n + 1;
	}
	return start;
}

/* A call stack and the empty lines after it also end a message. */
static bool
has_whole_stack(struct str text)
{
	return str_has(text, STR("\nCall Stack (")) && str_ends(text, STR("\n\n"));
}

/* After a syntax error in the file, cmake also reports that our include failed. */
static struct str
without_include(const struct host *h, struct str text)
{
	struct str head = str_fmt(h->a, "CMake Error at %.*s:", STR_ARG(h->script));
	size_t at = str_search(text, head);
	struct str rest = str_from(text, at);
	struct str end = STR("\n\n\n");

	if (at == text.n || str_search(rest, end) == rest.n)
		return text;
	rest = str_from(rest, str_search(rest, end) + end.n);
	return str_fmt(h->a, "%.*s%.*s", (int)at, text.p, STR_ARG(rest));
}

/* Moves whole lines, or all, from h->line to h->held. */
static void
take_lines(struct host *h, bool all)
{
	struct str text = buf_as_str(&h->line);
	size_t n = all ? text.n : 0;

	for (size_t i = 0; i < text.n && !all; i++)
		if (text.p[i] == '\n')
			n = i + 1;
	buf_str(&h->held, cmake_frames_uncolour(h->a, str_cut(text.p, n)));
	memmove(h->line.p, h->line.p + n, h->line.n - n);
	h->line.n -= n;
}

static void
show_messages(struct host *h, bool all)
{
	struct str text;
	struct cmake_frames frames = {.directory = path_here(h->a),
		.file = h->job->file,
		.spelled = h->job->file,
		.ours = {h->prelude, h->script},
		.errors = &h->errors,
		.cut = " (_cctr_customize)",
		.raises = true,
		.limit = h->job->limit,
		.ended = &h->saw_end};
	size_t n;
	bool had_seen_end = h->saw_end;

	if (h->line.n)
		take_lines(h, all);
	text = buf_as_str(&h->held);
	n = find_unfinished(text);
	if (all || has_whole_stack(str_from(text, n)))
		n = text.n;
	if (n == 0)
		return;
	text = without_include(
		h, cmake_frames_restore(h->a, &frames, str_cut(text.p, n)));
	console_raw_error(
		h->job->console, had_seen_end ? cmake_frames_behind_blanks(text) : text);
	memmove(h->held.p, h->held.p + n, h->held.n - n);
	h->held.n -= n;
}

static void
read_messages(void *context)
{
	struct host *h = context;
	struct buf *b = h->has_colours ? &h->line : &h->held;
	ssize_t n;

	while (!h->messages_end) {
		buf_room(b, 65536);
		n = file_get_now(h->child.messages, b->p + b->n, 65536);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0) {
			h->read_error = errno;
			break;
		}
		b->n += (size_t)n;
		h->messages_end = n == 0;
	}
	if (h->held.n || h->line.n)
		show_messages(h, false);
}

/* The user must not see "loading initial cache file ..." and what is said of the trace.
 */
static struct str
without_own_lines(struct host *h, struct str text)
{
	while (h->own_lines && text.n) {
		size_t n = str_find(text, '\n');

		h->own_lines -= n < text.n;
		text = str_from(text, n < text.n ? n + 1 : n);
	}
	return text;
}

static void
read_output(void *context)
{
	struct host *h = context;
	char bytes[65536];
	ssize_t n;

	if (h->output < 0)
		return;
	while ((n = file_get_now(h->output, bytes, sizeof bytes)) > 0)
		console_raw(
			h->job->console, without_own_lines(h, str_cut(bytes, (size_t)n)));
	if (n < 0 && errno != EAGAIN)
		h->read_error = errno;
}

static void
read_requests(void *context)
{
	struct host *h = context;
	char byte;

	if (read(h->child.requests, &byte, 1) == 1)
		h->has_request = true;
}

static void
look_at_child(void *context)
{
	struct host *h = context;

	if (!h->has_ended)
		h->has_ended = cmake_child_has_ended(&h->child, false);
}

static void
note_signal(void *context, int signal, bool by_terminal)
{
	struct host *h = context;

	(void)by_terminal;
	h->interrupted = signal;
}

/* ---- answering ------------------------------------------------------------------- */

/* The output of env -0, if it was requested. */
static const char *const *
read_environment(struct host *h)
{
	struct str text;

	if (!file_read(h->a, h->environment.p, &text))
		return NULL;
	unlink(h->environment.p);
	return environment_parse(h->a, text);
}

static bool
answer_request(struct host *h)
{
	struct script_reply reply = {.text = {.arena = h->a}};
	struct script_call call;
	struct str record;
	int error;

	read_output(h);
	read_messages(h);
	show_messages(h, true);
	h->has_request = false;
	if (!file_read(h->a, h->record.p, &record) ||
		!script_call_parse(h->a, record, &call))
		return diag_error(h->d, NO_PLACE, "cannot read what %.*s asks",
			STR_ARG(h->job->file));
	call.environment = read_environment(h);
	if (call.environment)
		h->has_colours = cmake_frames_have_colours(call.environment);
	call.errors = h->errors;
	h->job->answer(h->job->context, &call, &reply);
	if (!file_write(h->a, h->reply.p, ".tmp", buf_as_str(&reply.text)))
		return diag_error(h->d, NO_PLACE, "cannot write %s: %s", h->reply.p,
			strerror(errno));
	streams_drain();
	error = cmake_child_go_on(&h->child, h->a);
	return !error || diag_error(h->d, NO_PLACE, "cannot lock a file in %.*s: %s",
				 STR_ARG(h->folder), strerror(error));
}

/* true: the held message is not whole, since cmake writes a long text in pieces. An empty
 * line ends each message that has a place. */
static bool
is_cut_off(const struct host *h)
{
	struct str text = buf_as_str(&h->held);

	return str_begins(text, STR("CMake Error at ")) && !str_ends(text, STR("\n\n"));
}

/* Waits for the next request, or the end. */
static bool
await_request(struct host *h)
{
	struct loop_listener listener = {
		.context = h, .children = look_at_child, .signal = note_signal};
	struct loop *l = loop_open(h->a, &listener, h->d);
	struct loop_reader *requests, *messages = NULL, *output = NULL;

	if (!l)
		return false;
	requests = loop_watch(l, h->child.requests, read_requests, h);
	if (!requests) {
		int error = errno;

		loop_close(l);
		return diag_error(h->d, NO_PLACE, "cannot watch cmake: %.*s",
			STR_ARG(loop_error_text(h->a, error)));
	}
	if (!h->messages_end)
		messages = loop_watch(l, h->child.messages, read_messages, h);
	if (h->output >= 0)
		output = loop_watch(l, h->output, read_output, h);
	look_at_child(h);
	while (!h->has_request && !h->has_ended && !h->interrupted && !h->read_error) {
		bool holds = h->held.n || h->line.n;
		uint64_t until = holds ? loop_now_ns() + HOLD_NS : LOOP_FOREVER;

		loop_turn(l, until);
		if (holds && loop_now_ns() >= until && !is_cut_off(h))
			show_messages(h, true);
		if (messages && h->messages_end) {
			loop_unwatch(messages);
			messages = NULL;
		}
	}
	loop_unwatch(requests);
	if (output)
		loop_unwatch(output);
	if (messages)
		loop_unwatch(messages);
	loop_close(l);
	return true;
}

static bool
serve_requests(struct host *h)
{
	bool ok = true;

	while (ok && !h->has_ended && !h->interrupted && !h->read_error) {
		ok = await_request(h);
		if (ok && h->has_request && !h->interrupted)
			ok = answer_request(h);
	}
	/* Otherwise it waits for an answer, and writes no more. */
	if (!ok)
		return false;
	read_output(h);
	read_messages(h);
	show_messages(h, true);
	return !h->read_error ||
	       diag_error(h->d, NO_PLACE, "cannot read what cmake says: %s",
		       strerror(h->read_error));
}

/* ---- the process ----------------------------------------------------------------- */

static bool
is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

/* The ctest beside cmake, with symbolic links resolved; it must not be cctr. */
static bool
take_ctest(struct host *h, struct str *program)
{
	char *room = NEW_ARRAY(h->a, char, PATH_MAX);
	const char *real = realpath(program->p, room);
	struct str folder = real ? path_parent(str_of(real)) : STR("");
	struct str ctest = path_join(h->a, folder, STR("ctest"));

	if (access(ctest.p, X_OK) != 0 || is_same_file(ctest.p, "/proc/self/exe"))
		return diag_error(h->d, NO_PLACE,
			"--script-host=ctest: there is no ctest beside %.*s",
			STR_ARG(*program));
	*program = ctest;
	return true;
}

static struct str
binary_of(const struct host *h)
{
	struct str here = path_here(h->a);

	/* cmake would read an existing cache. */
	return path_exists(path_join(h->a, here, STR("CMakeCache.txt")).p) ? h->folder
									   : here;
}

static void
add_cmake_words(const struct host *h, str_vec *words)
{
	VEC_PUSH(h->a, words,
		h->job->shows_status ? STR("--log-level=STATUS")
				     : STR("--log-level=NOTICE"));
	if (h->job->kind == HOST_CMAKE) {
		VEC_PUSH(h->a, words, STR("--trace-expand"));
		VEC_PUSH(h->a, words,
			str_fmt(h->a, "--trace-redirect=%.*s", STR_ARG(h->trace)));
		VEC_PUSH(h->a, words, STR("--trace-format=json-v1"));
		VEC_PUSH(h->a, words, STR("-P"));
	} else {
		VEC_PUSH(h->a, words, STR("-N"));
		VEC_PUSH(h->a, words, STR("-S"));
		VEC_PUSH(h->a, words, path_here(h->a));
		VEC_PUSH(h->a, words, STR("-B"));
		VEC_PUSH(h->a, words, binary_of(h));
		VEC_PUSH(h->a, words, STR("-C"));
	}
	VEC_PUSH(h->a, words, h->script);
}

static struct str_list
words_of(const struct host *h, struct str program)
{
	str_vec words = {0};

	VEC_PUSH(h->a, &words, program);
	if (h->job->kind != HOST_CTEST) {
		add_cmake_words(h, &words);
		return str_vec_list(&words);
	}
	VEC_PUSH(h->a, &words, STR("-S"));
	VEC_PUSH(h->a, &words, h->script);
	if (h->job->shows_status)
		VEC_PUSH(h->a, &words, STR("-V"));
	return str_vec_list(&words);
}

/* Returns an errno, or 0. */
static int
open_output(struct host *h)
{
	if (h->job->kind == HOST_CTEST)
		return 0;
	/* Two lines are of --trace-redirect. */
	h->own_lines = h->job->kind == HOST_CMAKE ? 4 : 1;
	if (mkfifo(h->output_path.p, 0600) != 0)
		return errno;
	h->output = open(h->output_path.p, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return h->output < 0 ? errno : 0;
}

static bool
run_host(struct host *h, struct str program, struct script_end *end)
{
	struct str_list words = words_of(h, program);
	struct cmake_command command = {.argv = drop_const(str_list_words(h->a, words)),
		.environment = drop_const(h->job->environment),
		.takes_turns = true};
	int error;
	bool ok;

	error = open_output(h);
	if (error)
		return diag_error(h->d, NO_PLACE, "cannot make %s: %s", h->output_path.p,
			strerror(error));
	command.out = h->output >= 0 ? h->output_path.p : NULL;
	streams_drain();
	error = cmake_child_start(&h->child, h->a, h->folder, &command);
	ok = !error && serve_requests(h);
	cmake_child_close(&h->child);
	file_close(&h->output);
	*end = (struct script_end){.status = h->child.status,
		.errors = h->errors,
		.interrupted = h->interrupted};
	if (h->job->kind == HOST_CMAKE && WIFEXITED(end->status))
		end->has_chosen = script_trace_exit(h->a, h->trace.p, &end->chosen);
	if (error)
		diag_error(h->d, NO_PLACE, "cannot run %.*s: %s", STR_ARG(program),
			strerror(error));
	return ok;
}

bool
script_host(const struct script_job *job, struct script_end *end, struct diag *d)
{
	struct host h = {.job = job,
		.a = job->arena,
		.held = {.arena = job->arena},
		.line = {.arena = job->arena},
		.has_colours = cmake_frames_have_colours(job->environment),
		.output = -1,
		.d = d};
	struct str program =
		cmake_program_for(job->arena, STR_NONE, path_here(job->arena));
	bool ok;

	INVARIANT(job->answer && job->limit && end && d);
	if (!program.n)
		return diag_error(d, NO_PLACE,
			"%.*s needs cmake to be evaluated, and none was found",
			STR_ARG(job->file));
	program = str_dup(job->arena, program);
	if ((job->kind == HOST_CTEST && !take_ctest(&h, &program)) || !open_folder(&h))
		return false;
	ok = write_script(&h) && run_host(&h, program, end);
	scratch_folder_close(h.a, &h.own);
	return ok;
}
