/* Indexing. See index.h. */
#include "compat/instrument/index.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compat/console/report_text.h"
#include "compat/format/json_styled.h"
#include "compat/instrument/cdash.h"
#include "compat/instrument/host.h"
#include "compat/instrument/instrument_file.h"
#include "compat/instrument/snippet.h"
#include "compat/instrument/trace.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"
#include "runner/process/command.h"

struct indexing {
	struct arena *arena;
	const struct instrumentation *instrumentation;
	enum instrument_hook hook;
	const char *directory; /* where callbacks start; NULL: where we are */
	const char *folder; /* of index files, below data/: "index/" or "" */
	struct str name, path; /* of the index file */
	struct str trace; /* its name; n is 0: none */
	str_vec snippets; /* names */
};

/* ---- which snippets -------------------------------------------------------------- */

/* When the file was changed, in ns; 0: it is not a regular file. */
static int64_t
changed_ns(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static struct str
data_path(const struct indexing *x, const char *folder, struct str name)
{
	return str_fmt(x->arena, "%.*s/%s%.*s", STR_ARG(x->instrumentation->data), folder,
		STR_ARG(name));
}

/* When the last index before this one was made, in ns; 0: there is none. */
static int64_t
last_index_ns(const struct indexing *x)
{
	str_vec names = {0};
	int64_t last_ns = 0;

	(void)!directory_read(x->arena, data_path(x, x->folder, STR("")).p, &names);
	for (size_t k = 0; k < names.n; k++) {
		int64_t ns = changed_ns(data_path(x, x->folder, names.v[k]).p);

		if (str_begins(names.v[k], STR("index-")) &&
			!str_eq(names.v[k], x->name) && ns > last_ns)
			last_ns = ns;
	}
	return last_ns;
}

/* In the order of the directory. An earlier index that still exists is in use: its
 * snippets are older than it. */
static bool
find_snippets(struct indexing *x)
{
	int64_t since_ns = last_index_ns(x);
	str_vec names = {0};

	if (!directory_read(x->arena, x->instrumentation->data.p, &names))
		return false;
	for (size_t k = 0; k < names.n; k++)
		if (!str_begins(names.v[k], STR(".")) &&
			!str_begins(names.v[k], STR("index-")) &&
			changed_ns(data_path(x, "", names.v[k]).p) > since_ns)
			VEC_PUSH(x->arena, &x->snippets, names.v[k]);
	return true;
}

static bool
write_in_folder(const struct indexing *x, struct str text)
{
	return instrument_file_write(x->arena, x->instrumentation,
		str_fmt_z(x->arena, "data/%s", x->folder), x->name, text);
}

/* ---- the index file -------------------------------------------------------------- */

/* Members that are null where the value is not known, if the release does that. */
struct facts {
	struct json *json;
	bool has_null;
};

static void
put_text(const struct facts *f, const char *key, struct str text)
{
	json_key(f->json, key);
	if (text.n || !f->has_null)
		json_string(f->json, text);
	else
		json_null(f->json);
}

static void
put_number(const struct facts *f, const char *key, long n)
{
	json_key(f->json, key);
	if (n > 0 || !f->has_null)
		json_int(f->json, n);
	else
		json_null(f->json);
}

static void
put_digits(const struct facts *f, struct arena *a, const char *key, int n)
{
	put_text(f, key, str_fmt(a, "%d", n));
}

/* CMake knows processors before family 15 by name; the last of them counts. */
static struct str
processor_name(struct arena *a, const struct host *h)
{
	if (str_is(h->vendor, "GenuineIntel"))
		return h->family == 6 ? STR("Unknown P6 family")
				      : STR("Unknown Intel family");
	if (str_is(h->vendor, "AuthenticAMD"))
		return STR("Unknown AMD family");
	return str_is(h->vendor, "HygonGenuine") ? STR("Unknown Hygon family")
						 : str_dup(a, STR(""));
}

/* Until 4.2 what is not known is 0 or "", and the model has no name. */
static void
put_machine(struct json *j, struct arena *a, const struct dialect *dialect)
{
	struct facts f = {j, dialect->has[DIALECT_INSTRUMENTATION_FOLDER]};
	struct host h = host_examine(a);

	json_key(j, "staticSystemInformation");
	json_open(j, '{');
	put_text(&f, "OSName", h.os_name);
	put_text(&f, "OSPlatform", h.os_platform);
	put_text(&f, "OSRelease", h.os_release);
	put_text(&f, "OSVersion", h.os_version);
	put_digits(&f, a, "familyId", h.family);
	put_text(&f, "hostname", h.name);
	json_key(j, "is64Bits");
	json_bool(j, sizeof(void *) == 8);
	put_digits(&f, a, "modelId", h.model);
	if (f.has_null)
		put_text(&f, "modelName", h.model_name);
	put_number(&f, "numberOfLogicalCPU", h.logical);
	put_number(&f, "numberOfPhysicalCPU", h.physical);
	put_number(&f, "processorAPICID", 0);
	put_number(&f, "processorCacheSize", h.cache_kib);
	json_key(j, "processorClockFrequency");
	json_double(j, h.clock_mhz);
	put_text(&f, "processorName", processor_name(a, &h));
	put_number(&f, "totalPhysicalMemory", h.memory_mib);
	put_number(&f, "totalVirtualMemory", h.swap_mib);
	put_text(&f, "vendorID", h.maker);
	put_text(&f, "vendorString", h.vendor);
	json_close(j, '}');
}

static bool
write_index(struct indexing *x)
{
	const struct instrumentation *i = x->instrumentation;
	struct buf text = {.arena = x->arena};
	struct json j = {.out = &text, .indent = "\t"};
	struct facts f = {&j, false};

	json_open(&j, '{');
	put_text(&f, "buildDir", i->build);
	put_text(&f, "dataDir", i->data);
	put_text(&f, "hook", str_of(instrument_hook_name(i->dialect, x->hook)));
	json_key(&j, "snippets");
	json_open(&j, '[');
	for (size_t k = 0; k < x->snippets.n; k++)
		json_string(&j, x->snippets.v[k]);
	json_close(&j, ']');
	if (i->options[OPTION_STATIC_SYSTEM_INFORMATION])
		put_machine(&j, x->arena, i->dialect);
	if (x->trace.n)
		put_text(&f, "trace", str_fmt(x->arena, "trace/%.*s", STR_ARG(x->trace)));
	snippet_put_version(&j, i->dialect);
	json_close(&j, '}');
	buf_char(&text, '\n');
	return write_in_folder(x, buf_as_str(&text));
}

/* ---- callbacks ------------------------------------------------------------------- */

/* Its exit code does not matter. */
static void
run_callback(struct indexing *x, struct str line)
{
	struct command c = {.words = custom_command_words(
				    x->arena, str_fmt(x->arena, "%.*s \"%.*s\"",
						      STR_ARG(line), STR_ARG(x->path))),
		.directory = x->directory,
		.timeout_ns = NO_TIMEOUT,
		.streams = STREAMS_INHERITED,
		.lets_orphans_go = true};
	struct command_end end;

	streams_push();
	end = command_run(&c);
	if (command_has_error(&end))
		streams_put(STREAM_ERROR,
			str_fmt(x->arena, "%s\n",
				report_start_error(
					x->arena, x->instrumentation->dialect, end.error)
					.p));
}

/* ---- the end --------------------------------------------------------------------- */

/* Removes all but the newest file, except those that an older index still needs, and
 * those that another command is still writing. */
static void
remove_old(struct indexing *x, const char *folder)
{
	const struct instrumentation *i = x->instrumentation;
	struct str newest = instrument_file_newest(x->arena, i, folder);
	struct str index = instrument_file_oldest(x->arena, i, "index");
	int64_t needed_ns =
		index.p ? changed_ns(data_path(x, "index/", index).p) : INT64_MIN;
	struct str path = str_fmt(x->arena, "%.*s/%s", STR_ARG(i->data), folder);
	str_vec names = {0};

	if (!directory_read(x->arena, path.p, &names))
		return;
	for (size_t k = 0; k < names.n; k++) {
		struct str file = str_fmt(
			x->arena, "%.*s/%.*s", STR_ARG(path), STR_ARG(names.v[k]));

		if (!str_begins(names.v[k], STR(".")) && !str_eq(names.v[k], newest) &&
			changed_ns(file.p) >= needed_ns)
			unlink(file.p);
	}
}

static bool
say_loss(struct indexing *x, struct str what)
{
	streams_put(STREAM_ERROR, str_fmt(x->arena, "cctr: cannot write %.*s: %s\n",
					  STR_ARG(what), strerror(errno)));
	return false;
}

bool
instrument_collect(struct arena *a, const struct instrumentation *i,
	enum instrument_hook hook, const char *directory)
{
	struct indexing x = {
		.arena = a, .instrumentation = i, .hook = hook, .directory = directory};
	struct str time;
	bool ok = true;

	INVARIANT(i);
	if (hook != HOOK_MANUAL && !i->hooks[hook])
		return true;
	time = snippet_time(a, loop_wall_us() / 1000);
	x.name = str_fmt(a, "index-%.*s.json", STR_ARG(time));
	x.folder = i->dialect->has[DIALECT_INSTRUMENTATION_OPTIONS] ? "index/" : "";
	x.path = data_path(&x, x.folder, x.name);
	/* From now on another indexing takes only later snippets. */
	if (!write_in_folder(&x, STR("")) || !find_snippets(&x))
		return say_loss(&x, x.path);
	if (i->options[OPTION_TRACE]) {
		x.trace = str_fmt(a, "trace-%.*s.json", STR_ARG(time));
		if (!trace_write(a, i, x.trace, str_vec_list(&x.snippets)))
			return say_loss(&x, data_path(&x, "trace/", x.trace));
	}
	if (!write_index(&x))
		return say_loss(&x, x.path);
	for (size_t k = 0; k < i->callbacks.n; k++)
		run_callback(&x, i->callbacks.v[k]);
	if (i->options[OPTION_CDASH_SUBMIT])
		ok = cdash_prepare(a, i, str_vec_list(&x.snippets));
	else
		for (size_t k = 0; k < x.snippets.n; k++)
			unlink(data_path(&x, "", x.snippets.v[k]).p);
	unlink(x.path.p);
	remove_old(&x, "content");
	remove_old(&x, "compile-trace");
	remove_old(&x, "trace");
	return ok;
}
