/* Writes a tempfile beside the file and renames it at the end. See output_log.h. */
#include "compat/console/output_log.h"

#include <errno.h>
#include <stdio.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

struct output_log {
	FILE *file;
	struct atomic_file atomic;
	struct str path;
	int error; /* of the first failed write; 0: none */
	bool has_marks;
	const char *channel; /* of the last message */
};

struct output_log *
output_log_open(struct arena *a, struct str path, const struct dialect *dialect)
{
	struct output_log *l = NEW(a, struct output_log);
	struct str full = path_join(a, path_here(a), path);

	INVARIANT(dialect);
	*l = (struct output_log){
		.path = full, .has_marks = !dialect->has[DIALECT_LOG_WITHOUT_CHANNELS]};
	directory_try_make(a, str_z(a, path_parent(full)));
	l->file = atomic_file_open_stream(a, &l->atomic, full.p, ".tmp");
	return l->file ? l : NULL;
}

static void
note_error(struct output_log *l, bool is_good)
{
	if (!is_good && !l->error)
		l->error = errno;
}

void
output_log_add(struct output_log *l, const char *channel, const struct long_text *parts,
	size_t n)
{
	bool is_new = l->has_marks && channel != l->channel;

	INVARIANT(channel);
	INVARIANT(parts || !n);
	l->channel = channel;
	if (is_new)
		note_error(l, fprintf(l->file, "[%s] \n", channel) >= 0);
	for (size_t i = 0; i < n; i++) {
		struct long_reader r = {.text = &parts[i]};
		struct str piece;

		while (long_text_next(&r, &piece))
			note_error(l, fwrite(piece.p, 1, piece.n, l->file) == piece.n);
	}
	if (is_new)
		note_error(l, fputc('\n', l->file) != EOF);
}

void
output_log_flush(struct output_log *l)
{
	note_error(l, fflush(l->file) == 0);
}

struct str
output_log_path(const struct output_log *l)
{
	return l->path;
}

int
output_log_close(struct output_log *l)
{
	note_error(l, fclose(l->file) == 0);
	note_error(l, atomic_file_close(&l->atomic, !l->error));
	return l->error;
}
