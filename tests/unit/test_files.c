/* Paths, whole files, and descriptors that do not wait: runner/base/files.h. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "tests/unit/unit.h"

/* ---- paths ----------------------------------------------------------------------- */

static void
joins_and_normalises(void **state)
{
	static const struct {
		const char *directory, *name, *path;
	} rows[] = {
		{"/a", "b", "/a/b"},
		{"/a", "/b", "/b"},
		{"/a/./b", "../c//d", "/a/c/d"},
		{"/", "..", "/"},
		{"/a", "", "/a"},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str joined =
			path_normal(*state, path_join(*state, str_of(rows[i].directory),
						    str_of(rows[i].name)));

		assert_string_equal(str_z(*state, joined), rows[i].path);
	}
}

static void
finds_names_from_a_directory(void **state)
{
	static const struct {
		const char *directory, *name, *path;
	} rows[] = {
		{"/a", "b", "/a/b"},
		{"/a", "/b", "/b"},
		{"/a", "link/../b", "/a/link/../b"},
		{"/a", "", ""},
		{"", "b", "b"},
	};

	for (size_t i = 0; i < ROWS(rows); i++)
		assert_string_equal(
			path_in(*state, str_of(rows[i].directory), str_of(rows[i].name)),
			rows[i].path);
}

static void
splits(void **state)
{
	assert_true(str_is(path_parent(STR("/a/b")), "/a"));
	assert_true(str_is(path_parent(STR("b")), ""));
	assert_true(str_is(path_name(STR("/a/b")), "b"));
	assert_true(str_is(path_name(STR("b")), "b"));
	(void)state;
}

/* A shell calls a directory by the link through which it was entered. */
static void
calls_a_directory_as_the_shell(void **state)
{
	char folder[] = "/tmp/cctr-files.XXXXXX";
	struct str top = str_of(realpath(mkdtemp(folder), NULL));
	struct str link = path_join(*state, top, STR("link"));
	char *before = getenv("PWD");
	struct str kept = before ? str_dup(*state, str_of(before)) : STR_NONE;
	int here = open(".", O_RDONLY | O_DIRECTORY);

	assert_int_equal(symlink(".", link.p), 0);
	assert_int_equal(chdir(folder), 0);
	setenv("PWD", link.p, 1);
	assert_string_equal(path_here(*state).p, link.p);
	setenv("PWD", "/", 1);
	assert_string_equal(path_here(*state).p, top.p);
	assert_int_equal(fchdir(here), 0);
	close(here);
	if (kept.p)
		setenv("PWD", kept.p, 1);
	else
		unsetenv("PWD");
	unlink(link.p);
	rmdir(folder);
	free(str_own(top));
}

/* ---- whole files ----------------------------------------------------------------- */

static void
reads_what_it_wrote(void **state)
{
	char place[] = "/tmp/cctr-files.XXXXXX";
	struct str path, text, written = str_cut("a\0b\n", 4);
	struct stat info;

	assert_non_null(mkdtemp(place));
	path = str_fmt(*state, "%s/one/two/file", place);
	assert_false(file_write(*state, path.p, ".tmp", written));
	assert_int_equal(errno, ENOENT);
	assert_true(directory_make(*state, str_z(*state, path_parent(path))));
	assert_true(file_write(*state, path.p, ".tmp", written));
	assert_true(file_read(*state, path.p, &text));
	assert_int_equal(text.n, 4);
	assert_memory_equal(text.p, "a\0b\n", 5);
	assert_int_equal(stat(str_fmt(*state, "%s.tmp", path.p).p, &info), -1);
	assert_int_equal(unlink(path.p), 0);
	assert_false(file_read(*state, path.p, &text));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(rmdir(str_fmt(*state, "%s/one/two", place).p), 0);
	assert_int_equal(rmdir(str_fmt(*state, "%s/one", place).p), 0);
	assert_int_equal(rmdir(place), 0);
}

/* ---- descriptors ----------------------------------------------------------------- */

enum { LARGE = 3 << 20 };

struct reading {
	int from;
	size_t n;
	unsigned sum;
};

static void *
read_slowly(void *context)
{
	struct reading *r = context;
	char part[997];
	ssize_t n;

	while ((n = read(r->from, part, sizeof part)) > 0) {
		r->n += (size_t)n;
		for (ssize_t i = 0; i < n; i++)
			r->sum = r->sum * 31 + (unsigned char)part[i];
	}
	return NULL;
}

/* A pipe that its other users made not to wait. */
static void
puts_all_of_it(void **state)
{
	char *bytes = NEW_ARRAY(*state, char, LARGE);
	struct reading r = {0};
	unsigned sum = 0;
	pthread_t reader;
	int ends[2];

	for (size_t i = 0; i < LARGE; i++) {
		bytes[i] = (char)(i * 7 + i / 251);
		sum = sum * 31 + (unsigned char)bytes[i];
	}
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	r.from = ends[0];
	assert_int_equal(pthread_create(&reader, NULL, read_slowly, &r), 0);
	assert_true(file_put(ends[1], str_cut(bytes, LARGE)));
	close(ends[1]);
	assert_int_equal(pthread_join(reader, NULL), 0);
	assert_int_equal(r.n, LARGE);
	assert_int_equal(r.sum, sum);
	close(ends[0]);
}

static void
tells_that_nobody_reads(void **state)
{
	int ends[2];
	void (*was)(int) = signal(SIGPIPE, SIG_IGN);

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_false(file_put(ends[1], STR("text")));
	assert_int_equal(errno, EPIPE);
	close(ends[1]);
	signal(SIGPIPE, was);
	(void)state;
}

static void
keeps_unnamed_files_for_itself(void **state)
{
	FILE *f = file_unnamed();
	char text[8] = "";

	assert_non_null(f);
	assert_true(fcntl(fileno(f), F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fputs("text", f) < 0, 0);
	rewind(f);
	assert_int_equal(fread(text, 1, sizeof text, f), 4);
	assert_string_equal(text, "text");
	fclose(f);
	(void)state;
}

static void
says_why_a_part_is_short(void **state)
{
	FILE *from = file_unnamed(), *to = file_unnamed();

	assert_non_null(from);
	assert_non_null(to);
	assert_true(fputs("text", from) >= 0);
	rewind(from);
	errno = 0;
	assert_false(file_copy_part(to, from, 5));
	assert_int_equal(errno, EIO);
	fclose(from);
	fclose(to);
	(void)state;
}

static int
compare_names(const void *a, const void *b)
{
	return str_order(*(const struct str *)a, *(const struct str *)b);
}

static void
reads_directories(void **state)
{
	char folder[] = "/tmp/cctr-files.XXXXXX";
	struct str top = str_of(mkdtemp(folder));
	struct str below = path_join(*state, top, STR("below"));
	struct str hidden = path_join(*state, top, STR(".hidden"));
	str_vec names = {0};

	assert_int_equal(mkdir(below.p, 0700), 0);
	assert_int_equal(mkdir(hidden.p, 0700), 0);
	assert_true(directory_read(*state, folder, &names));
	assert_int_equal(names.n, 2);
	qsort(names.v, names.n, sizeof *names.v, compare_names);
	assert_string_equal(names.v[0].p, ".hidden");
	assert_string_equal(names.v[1].p, "below");
	rmdir(below.p);
	rmdir(hidden.p);
	rmdir(folder);
	assert_false(directory_read(*state, folder, &names));
	assert_int_equal(errno, ENOENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_and_normalises),
		cmocka_unit_test(finds_names_from_a_directory),
		cmocka_unit_test(splits),
		cmocka_unit_test(calls_a_directory_as_the_shell),
		cmocka_unit_test(reads_what_it_wrote),
		cmocka_unit_test(puts_all_of_it),
		cmocka_unit_test(tells_that_nobody_reads),
		cmocka_unit_test(keeps_unnamed_files_for_itself),
		cmocka_unit_test(says_why_a_part_is_short),
		cmocka_unit_test(reads_directories),
	};

	return run_unit_tests("files", tests, open_arena, close_arena);
}
