/*
 * A declaration is summed as the JSON that --show-only prints, without its place: a test
 * whose line moves is the same test. See watched_tests.h.
 */
#include "compat/run/watched_tests.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/report/show_only.h"
#include "compat/run/quiet_tests.h"
#include "runner/base/files.h"

/* ---- files ----------------------------------------------------------------------- */

/* The sums of files that many tests share, of one moment. */
struct sums {
	struct map paths;
	VEC(uint64_t) v;
};

/* 0: there is no such file. */
static uint64_t
sum_file(struct arena *a, struct sums *sums, struct str path)
{
	uint32_t at = map_number(&sums->paths, path);
	struct stat status;
	uint64_t sum = 0;

	if (at < sums->v.n)
		return sums->v.v[at];
	if (stat(str_z(a, path), &status) == 0) {
		const uint64_t facts[] = {status.st_dev, status.st_ino, status.st_mode,
			(uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
			(uint64_t)status.st_mtim.tv_nsec};

		sum = str_sum(STR_SUM_EMPTY, str_cut((const char *)facts, sizeof facts));
	}
	VEC_PUSH(a, &sums->v, sum);
	return sum;
}

static uint64_t
sum_files(struct arena *a, struct sums *sums, struct str_list files)
{
	uint64_t sum = STR_SUM_EMPTY;

	for (size_t i = 0; i < files.n; i++) {
		uint64_t one = sum_file(a, sums, files.v[i]);

		sum = str_sum(sum, files.v[i]);
		sum = str_sum(sum, str_cut((const char *)&one, sizeof one));
	}
	return sum;
}

static bool
is_file(struct arena *a, struct str path)
{
	struct stat status;

	return stat(str_z(a, path), &status) == 0 && S_ISREG(status.st_mode);
}

/* ---- one test -------------------------------------------------------------------- */

static struct str_list
find_files(struct arena *a, const struct test *t)
{
	const struct str_list *required = &t->properties->required_files;
	str_vec files = {0};

	for (size_t i = 1; i < t->command.n; i++) {
		struct str path = path_join(a, t->directory, t->command.v[i]);

		if (t->command.v[i].n && is_file(a, path))
			VEC_PUSH(a, &files, path);
	}
	for (size_t i = 0; i < required->n; i++)
		VEC_PUSH(a, &files, path_join(a, t->directory, required->v[i]));
	return str_vec_list(&files);
}

static uint64_t
sum_declaration(struct arena *a, const struct json_listing *all, const struct test *t)
{
	struct test moved = *t;
	struct suite suite = {
		.tests = &moved, .n = 1, .patterns = all->selection->suite->patterns};
	struct selected one = {.number = 1};
	struct selection selection = {.suite = &suite, .v = &one, .n = 1};
	struct json_listing listing = *all;
	struct buf out = {.arena = a};

	moved.backtrace = STR("");
	listing.selection = &selection;
	show_only_json(&out, &listing);
	return str_sum(STR_SUM_EMPTY, buf_as_str(&out));
}

static struct watched_test
watched_test_of(struct arena *a, const struct json_listing *all, const struct test *t)
{
	struct str word = t->command.n ? t->command.v[0] : STR("");
	const struct executable *found = executable_find(all->finder, word, t->directory);

	return (struct watched_test){.name = t->name,
		.program = found->path.n ? found->path : path_join(a, t->directory, word),
		.files = find_files(a, t),
		.declaration_sum = sum_declaration(a, all, t)};
}

/* ---- all of them ----------------------------------------------------------------- */

/* Watches the folder of the path, or the one above that is there. */
static bool
watch_path(struct run_context *c, struct folder_watch *watch, struct map *done,
	struct str path)
{
	struct str folder = path_parent(path);

	for (; folder.n && map_add(done, folder); folder = path_parent(folder)) {
		if (folder_watch_add(watch, str_z(c->arena, folder), FOLDER_CHANGES))
			return true;
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return diag_error(&c->diag, NO_PLACE,
				"--watch: the folder %.*s cannot be watched: %s",
				STR_ARG(folder), strerror(errno));
	}
	return true;
}

static bool
watch_folders(struct watched_tests *w, struct run_context *c,
	const struct run_settings *s, const struct suite *suite,
	struct folder_watch *watch)
{
	struct map done = map_in(w->arena);
	struct str manifest = s->inputs->path;
	bool all = watch_path(c, watch, &done,
		manifest.n ? manifest : path_join(w->arena, s->directory, STR("x")));

	for (size_t i = 0; all && suite && i < suite->n; i++)
		all = watch_path(c, watch, &done,
			path_join(w->arena, suite->tests[i].declared_in, STR("x")));
	for (size_t i = 0; all && i < w->v.n; i++) {
		const struct watched_test *t = &w->v.v[i];

		all = watch_path(c, watch, &done, t->program);
		for (size_t k = 0; all && k < t->files.n; k++)
			all = watch_path(c, watch, &done, t->files.v[k]);
	}
	return all;
}

static void
add_tests(struct watched_tests *w, const struct run_context *c,
	const struct run_settings *s, const struct selection *selection)
{
	struct json_listing all = {.selection = selection,
		.dialect = c->dialect,
		.configuration = s->options.configuration,
		.finder = executable_finder_new(
			w->arena, c->dialect, s->options.configuration, c->directory)};

	for (size_t i = 0; i < selection->n; i++) {
		const struct test *t = selected_test(selection, i);

		if (!map_has(&w->names, t->name))
			map_set(&w->names, t->name, (uint32_t)w->v.n);
		VEC_PUSH(w->arena, &w->v, watched_test_of(w->arena, &all, t));
	}
}

static void
sum_tests(struct watched_tests *w)
{
	struct sums sums = {.paths = map_in(w->arena)};

	for (size_t i = 0; i < w->v.n; i++) {
		struct watched_test *t = &w->v.v[i];

		t->program_sum = sum_file(w->arena, &sums, t->program);
		t->files_sum = sum_files(w->arena, &sums, t->files);
	}
}

enum exit_code
watched_tests_read(struct watched_tests *w, struct run_context *c,
	const struct run_settings *s, struct folder_watch *watch)
{
	struct run_suite suite = {0};
	struct run_tests tests = {0};
	bool is_read = quiet_tests_select(c, s, &suite, &tests);

	*w = (struct watched_tests){.arena = c->arena, .names = map_in(c->arena)};
	if (is_read)
		add_tests(w, c, s, &tests.selection);
	if (!watch_folders(w, c, s, suite.suite, watch)) {
		console_diag(c->console, &c->diag);
		return EXIT_USAGE;
	}
	sum_tests(w);
	return is_read ? EXIT_OK : EXIT_TESTS_FAILED;
}

void
watched_tests_look_again(struct watched_tests *w, const struct map *names)
{
	struct sums sums = {.paths = map_in(w->arena)};

	for (size_t i = 0; i < w->v.n; i++)
		if (map_has(names, w->v.v[i].name))
			w->v.v[i].files_sum = sum_files(w->arena, &sums, w->v.v[i].files);
}

static bool
is_same(const struct watched_test *a, const struct watched_test *b)
{
	return a->declaration_sum == b->declaration_sum &&
	       a->program_sum == b->program_sum && a->files_sum == b->files_sum;
}

void
watched_tests_changed(
	const struct watched_tests *w, const struct watched_tests *before, str_vec *names)
{
	for (size_t i = 0; i < w->v.n; i++) {
		const struct watched_test *t = &w->v.v[i];
		uint32_t at = map_get(&before->names, t->name);

		if (at == MAP_NONE || !is_same(t, &before->v.v[at]))
			VEC_PUSH(w->arena, names, t->name);
	}
}
