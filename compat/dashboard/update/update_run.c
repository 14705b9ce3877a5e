/*
 * Two commands in a row run one after the other, with a file between them: the output of
 * the first is short, and cctr needs to wait for only one process at a time. See
 * update_run.h.
 */
#include "compat/dashboard/update/update_run.h"

#include <errno.h>
#include <stdio.h>

#include "compat/dashboard/step/step_command.h"
#include "compat/format/secrets.h"
#include "runner/base/files.h"
#include "runner/process/command.h"

/* ---- lines ----------------------------------------------------------------------- */

struct stream {
	struct update *u;
	struct listener *listener;
	const char *prefix, *name; /* "fetch", "out" */
};

static void
end_line(struct stream *s, char end)
{
	struct listener *l = s->listener;
	struct str line = buf_as_str(&l->rest);

	buf_fmt(&s->u->log, "%s-%s> ", s->prefix, s->name);
	buf_str(&s->u->log, secrets_masked(s->u->arena, line));
	buf_char(&s->u->log, '\n');
	l->ended_by = end;
	/* For a reader of progress the line ends at a NUL. */
	line.n = str_find(line, '\0');
	l->has_enough = l->line && !l->line(l->context, line);
	l->rest.n = 0;
}

static void
take_progress(struct stream *s, char c)
{
	struct listener *l = s->listener;

	if (c != '\r' && c != '\n')
		buf_char(&l->rest, c);
	else if (l->rest.n)
		end_line(s, c);
}

static void
take_byte(struct stream *s, char c)
{
	struct listener *l = s->listener;

	if (c == '\0' || (c == '\n' && !l->ends_by_nul))
		end_line(s, c);
	else if (c != '\r' || l->lines == LINES_EXACT)
		buf_char(&l->rest, c);
}

static void
cut_lines(struct stream *s, struct str bytes)
{
	bool is_progress = s->listener->lines == LINES_OF_PROGRESS;

	for (size_t i = 0; i < bytes.n && !s->listener->has_enough; i++)
		if (is_progress)
			take_progress(s, bytes.p[i]);
		else
			take_byte(s, bytes.p[i]);
}

/* Since 3.29 all that one read gives is one piece. */
static size_t
piece_room(const struct stream *s)
{
	if (s->u->in->dialect->has[DIALECT_PROGRESS_BY_64_KIB])
		return SIZE_MAX;
	return LISTENER_PIECE - s->listener->total % LISTENER_PIECE;
}

static void
take_piece(struct stream *s, struct str bytes)
{
	struct listener *l = s->listener;

	while (bytes.n) {
		size_t room = piece_room(s);
		struct str piece = str_cut(bytes.p, bytes.n < room ? bytes.n : room);

		cut_lines(s, piece);
		if (l->piece)
			l->piece(l->context, piece);
		l->total += piece.n;
		bytes = str_from(bytes, piece.n);
	}
}

static void
hear_from(struct update *u, struct listener *l)
{
	if (!l->rest.arena)
		l->rest.arena = u->arena;
	if (!l->rest.p)
		buf_room(&l->rest, 1);
}

void
listener_feed(struct update *u, struct listener *l, const char *prefix, struct str bytes)
{
	struct stream s = {u, l, prefix, "out"};

	hear_from(u, l);
	take_piece(&s, bytes);
}

bool
first_match(void *context, struct str line)
{
	struct first_match *f = context;
	struct match m;

	if (!update_match(f->u, line, f->pattern, &m))
		return true;
	f->text = str_dup(f->u->arena, m.groups[1]);
	return false;
}

/* ---- commands -------------------------------------------------------------------- */

struct streams {
	struct stream out, err;
	struct buf *instead; /* from the listener of standard output */
	const char *directory;
};

static void
on_output(void *context, bool is_error, struct str bytes)
{
	struct streams *s = context;

	if (is_error)
		take_piece(&s->err, bytes);
	else if (s->instead)
		buf_str(s->instead, bytes);
	else
		take_piece(&s->out, bytes);
}

static bool
run_command(struct update *u, struct str_list words, struct streams *s, int input)
{
	struct command command = {.words = words,
		.directory = s->directory,
		.environment = u->environment,
		.input = input,
		.timeout_ns = NO_TIMEOUT,
		.streams = STREAMS_APART,
		.output = on_output,
		.context = s};
	struct command_end end;

	if (u->result->interrupted)
		return false;
	end = u->run(&command);
	if (end.ending == COMMAND_INTERRUPTED)
		u->result->interrupted = end.signal;
	step_note_lost_result(u->in, &words, &end);
	return command_succeeded(&end);
}

static bool
run_both(struct update *u, const struct vcs_command *c, struct streams *s)
{
	struct buf between = {.arena = u->arena};
	FILE *file;
	bool ok = false;

	s->instead = &between;
	run_command(u, c->feeder, s, 0);
	s->instead = NULL;
	file = file_unnamed();
	if (file && (!between.n || fwrite(between.p, between.n, 1, file) == 1) &&
		fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0)
		ok = run_command(u, c->words, s, fileno(file));
	else
		console_lost_file(u->in->console, STR("a temporary file"), errno);
	if (file)
		fclose(file);
	return ok;
}

/* "": nothing can start there. */
static const char *
source_directory(const struct update *u)
{
	if (!u->source.n && !u->in->dialect->has[DIALECT_UPDATE_WITHOUT_SOURCE])
		return "";
	return step_path(u->in, u->source.n ? u->source : STR("."));
}

bool
vcs_run(struct update *u, const struct vcs_command *c)
{
	struct listener logs[2] = {{0}, {0}};
	struct streams s = {.out = {u, c->out ? c->out : &logs[0], c->prefix, "out"},
		.err = {u, c->err ? c->err : &logs[1], c->prefix, "err"},
		.instead = c->instead,
		.directory = c->directory ? c->directory : source_directory(u)};

	hear_from(u, s.out.listener);
	hear_from(u, s.err.listener);
	if (c->feeder.n) {
		buf_str(&u->log, step_words(u->arena, &c->feeder));
		buf_z(&u->log, " | ");
	}
	buf_str(&u->log, step_words(u->arena, &c->words));
	buf_char(&u->log, '\n');
	return c->feeder.n ? run_both(u, c, &s) : run_command(u, c->words, &s, 0);
}

bool
vcs_run_update(struct update *u, const struct vcs_command *c)
{
	u->command = step_words(u->arena, &c->words);
	return u->in->options->show_only != SHOW_NOTHING || vcs_run(u, c);
}

/* ---- words ----------------------------------------------------------------------- */

struct str_list
vcs_words(struct arena *a, const char *const *words)
{
	str_vec list = {0};

	INVARIANT(words && words[0]);
	for (; *words; words++)
		VEC_PUSH(a, &list, str_of(*words));
	return str_vec_list(&list);
}

struct str_list
vcs_join(struct arena *a, const struct str_list *lists, size_t n)
{
	str_vec all = {0};

	INVARIANT(lists || !n);
	for (size_t i = 0; i < n; i++)
		VEC_PUSH_ALL(a, &all, lists[i]);
	return str_vec_list(&all);
}

bool
vcs_run_words(struct update *u, const char *prefix, struct listener *out,
	const char *const *words)
{
	struct vcs_command c = {
		.words = vcs_words(u->arena, words), .prefix = prefix, .out = out};

	return vcs_run(u, &c);
}
