/* See whole_nodes.h. */
#include "compat/launch/whole_nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"

#define LIST_NAME "CCTR_NODELIST"
#define FILE_NAME "CCTR_NODEFILE"

struct whole_nodes {
	struct arena *arena;
	struct str directory;
	const struct cluster_job *job;
	struct map files; /* that were written */
};

struct whole_nodes *
whole_nodes_open(struct arena *a, struct str directory, const struct cluster_job *job)
{
	struct whole_nodes *w = NEW(a, struct whole_nodes);

	*w = (struct whole_nodes){a, directory, job, map_in(a)};
	return w;
}

/* 0, or the errno: then no part of the file is left. */
static int
write_file(const char *path, struct str text)
{
	int file =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	int error = 0;

	if (file < 0)
		return errno;
	if (!file_put(file, text))
		error = errno;
	if (close(file) != 0 && !error)
		error = errno;
	if (error)
		unlink(path);
	return error;
}

bool
whole_nodes_tell(struct whole_nodes *w, struct arena *a, unsigned number,
	struct str_list names, struct str_list *variables, struct str *why)
{
	struct str path = path_join(w->arena, w->directory,
		str_fmt(a, "cctr-nodes-%d-%u", (int)getpid(), number));
	struct str lines = str_fmt(a, "%.*s\n", STR_ARG(str_join(a, names, STR("\n"))));
	const struct batch_system *system = w->job->system;
	int error = write_file(path.p, lines);
	struct str_list more = {0};
	str_vec v = {0};

	if (error) {
		*why = str_fmt(a, "cannot write %.*s: %.*s", STR_ARG(path),
			STR_ARG(loop_error_text(a, error)));
		return false;
	}
	map_add(&w->files, path);
	if (system && system->nested)
		more = system->nested(a, w->job, names, path);
	VEC_PUSH(a, &v,
		str_fmt(a, LIST_NAME "=%.*s", STR_ARG(str_join(a, names, STR(",")))));
	VEC_PUSH(a, &v, str_fmt(a, FILE_NAME "=%.*s", STR_ARG(path)));
	VEC_PUSH_ALL(a, &v, more);
	*variables = str_vec_list(&v);
	return true;
}

bool
whole_nodes_is_own_variable(struct str name)
{
	return str_is(name, LIST_NAME) || str_is(name, FILE_NAME);
}

void
whole_nodes_close(struct whole_nodes *w)
{
	for (size_t i = 0; i < w->files.n; i++)
		unlink(w->files.entries[i].key.p);
}
