/*
 * The table of differences between releases of ctest. A behaviour holds from the release
 * "since" on, and before the release "until" where that is not 0.
 *
 * Two ends are exact: 3.25 and 4.4. Between them each row has its release where it is
 * known. Older releases than 3.25 are taken as 3.25, newer ones than 4.4 as 4.4.
 */
#include "runner/cmakelang/dialect.h"

#include <errno.h>
#include <string.h>

#include "runner/base/files.h"

enum { OLDEST = 3025, NEWEST = 4004 };

static const struct dialect_row rows[DIALECT_FEATURES] = {
	[DIALECT_SHORT_SUMMARY] = {"short-summary", 4004, 0},
	[DIALECT_FAILED_LABELS] = {"failed-labels", 3031, 0},
	[DIALECT_OPTION_TABLE] = {"option-table", 4000, 0},
	[DIALECT_UNKNOWN_OPTIONS_REFUSED] = {"unknown-options-refused", 3030, 0},
	[DIALECT_PARALLEL_DEFAULT] = {"parallel-default", 3029, 0},
	[DIALECT_CYCLE_FAILS] = {"cycle-fails", 3030, 0},
	[DIALECT_NO_TESTS_ENVIRONMENT] = {"no-tests-environment", 3026, 0},
	[DIALECT_RANDOM_SEED] = {"random-seed", 4001, 0},
	[DIALECT_NAMES_FROM_FILE] = {"names-from-file", 3029, 0},
	[DIALECT_PASS_THROUGH] = {"pass-through", 4004, 0},
	[DIALECT_NOTHING_TO_DO_FAILS] = {"nothing-to-do-fails", 4004, 0},
	[DIALECT_SAYS_CHANGING_DIRECTORY] = {"says-changing-directory", 0, 4000},
	[DIALECT_LISTS_ALONE] = {"lists-alone", 4004, 0},
	[DIALECT_TEST_DIR_WINS] = {"test-dir-wins", 3030, 0},
	[DIALECT_SMALLEST_MEASURED] = {"smallest-measured", 3029, 0},
	[DIALECT_CONFIGURATION_TWICE] = {"configuration-twice", 0, 4000},
	[DIALECT_COVERAGE_LINE] = {"coverage-line", 0, 4000},
	[DIALECT_COVERAGE_BRANCHES] = {"coverage-branches", 4004, 0},
	[DIALECT_TIMEOUT_SIGNAL] = {"timeout-signal", 3027, 0},
	[DIALECT_NO_LIMIT_SHOWN_AS_LONG] = {"no-limit-shown-as-long", 3027, 0},
	[DIALECT_LOG_WITHOUT_CHANNELS] = {"log-without-channels", 4000, 0},
	[DIALECT_KNOWN_TERMINALS] = {"known-terminals", 4001, 0},
	[DIALECT_PROGRESS_ERASES_FIRST] = {"progress-erases-first", 4004, 0},
	[DIALECT_JUNIT_STATUS_MESSAGE] = {"junit-status-message", 3027, 0},
	[DIALECT_JUNIT_PROPERTIES] = {"junit-properties", 3028, 0},
	[DIALECT_BUILD_NAME_CLEANED] = {"build-name-cleaned", 0, 4002},
	[DIALECT_COST_NAMES_WITH_BLANKS] = {"cost-names-with-blanks", 4000, 0},
	[DIALECT_GENERATED_SPEC] = {"generated-spec", 3028, 0},
	[DIALECT_CUSTOM_PROPERTIES] = {"custom-properties", 3030, 0},
	[DIALECT_JSON_SIGNALS] = {"json-signals", 4000, 0},
	[DIALECT_SPEC_DETAILS] = {"spec-details", 3027, 0},
	[DIALECT_SPEC_PLACES] = {"spec-places", 4001, 0},
	[DIALECT_DIRECTORY_QUOTED] = {"directory-quoted", 4000, 0},
	[DIALECT_DIRECTORIES_KEEP_NAMES] = {"directories-keep-names", 4000, 0},
	[DIALECT_REFUSED_START_AGAIN] = {"refused-start-again", 3029, 0},
	[DIALECT_PRESET_DETAILS] = {"preset-details", 3027, 0},
	[DIALECT_PRESET_KINDS] = {"preset-kinds", 4004, 0},
	[DIALECT_PRESET_VERSIONS] = {"preset-versions", 3031, 0},
	[DIALECT_PRESET_AGE_FIRST] = {"preset-age-first", 4004, 0},
	[DIALECT_PRESET_EARLY_MACROS] = {"preset-early-macros", 4004, 0},
	[DIALECT_PRESETS_7] = {"presets-7", 3027, 0},
	[DIALECT_PRESETS_8] = {"presets-8", 3028, 0},
	[DIALECT_PRESETS_9] = {"presets-9", 3030, 0},
	[DIALECT_PRESETS_10] = {"presets-10", 3031, 0},
	[DIALECT_PRESETS_11] = {"presets-11", 4003, 0},
	[DIALECT_PRESETS_12] = {"presets-12", 4004, 0},
	[DIALECT_JOB_SERVER] = {"job-server", 3029, 0},
	[DIALECT_BUILD_AND_TEST_STREAMS] = {"build-and-test-streams", 4000, 0},
	[DIALECT_GENERATOR_ERROR_LINE] = {"generator-error-line", 3026, 0},
	[DIALECT_BUILD_LINES] = {"build-lines", 3027, 0},
	[DIALECT_MODEL_IS_DASHBOARD] = {"model-is-dashboard", 4000, 0},
	[DIALECT_TAG_KEPT] = {"tag-kept", 4000, 0},
	[DIALECT_LINE_IS_SCRIPT] = {"line-is-script", 4000, 0},
	[DIALECT_DEFINITIONS_ARE_KEYS] = {"definitions-are-keys", 4004, 0},
	[DIALECT_COMMAND_PRESETS] = {"command-presets", 4004, 0},
	[DIALECT_LABELS_REPLACED] = {"labels-replaced", 4004, 0},
	[DIALECT_SUBMIT_PARTS] = {"submit-parts", 4004, 0},
	[DIALECT_COVERAGE_TOOL] = {"coverage-tool", 4004, 0},
	[DIALECT_OPTION_BEATS_VARIABLE] = {"option-beats-variable", 4000, 0},
	[DIALECT_MODEL_NAME] = {"model-name", 3031, 0},
	[DIALECT_UPLOAD_TIME] = {"upload-time", 3030, 0},
	[DIALECT_TEST_START_TIME] = {"test-start-time", 4003, 0},
	[DIALECT_EMPTY_DIRECTORY_REASON] = {"empty-directory-reason", 3029, 0},
	[DIALECT_DECLARATIVE_SCRIPTS] = {"declarative-scripts", 0, 4000},
	[DIALECT_SUBMIT_STRICT] = {"submit-strict", 3026, 0},
	[DIALECT_SUBMIT_TLS] = {"submit-tls", 3030, 0},
	[DIALECT_STOP_TIME_HALVES] = {"stop-time-halves", 4001, 0},
	[DIALECT_SUBMIT_TLS_1_2] = {"submit-tls-1.2", 3031, 0},
	[DIALECT_STRICT_ARGUMENTS] = {"strict-arguments", 4000, 0},
	[DIALECT_UPDATE_IS_COMMAND] = {"update-is-command", 4000, 0},
	[DIALECT_SLASHES_ARE_ONE] = {"slashes-are-one", 4000, 0},
	[DIALECT_UPDATE_VERSION] = {"update-version", 4004, 0},
	[DIALECT_CONFIGURE_DIRECTORIES] = {"configure-directories", 3026, 0},
	[DIALECT_CONFIGURE_IS_COMMAND] = {"configure-is-command", 4000, 0},
	[DIALECT_CONFIGURE_OPTIONS_LAST] = {"configure-options-last", 4004, 0},
	[DIALECT_SCRIPT_EXITS] = {"script-exits", 4001, 0},
	[DIALECT_TIMEOUT_BEATS_OPTION] = {"timeout-beats-option", 3027, 0},
	[DIALECT_SPEC_READ_LAST] = {"spec-read-last", 3028, 0},
	[DIALECT_MISSING_SCRIPT_IS_ONE] = {"missing-script-is-one", 4001, 0},
	[DIALECT_EMPTY_PATTERN_IS_NONE] = {"empty-pattern-is-none", 4000, 0},
	[DIALECT_BUILD_DIRECTORIES] = {"build-directories", 4004, 0},
	[DIALECT_CONFIGURE_CODE] = {"configure-code", 4000, 0},
	[DIALECT_START_ERRORS] = {"start-errors", 3029, 0},
	[DIALECT_JSON_COMMENTS] = {"json-comments", 0, 4001},
	[DIALECT_JSON_INFINITY] = {"json-infinity", 3026, 0},
	[DIALECT_VERSION_JSON] = {"version-json", 4003, 0},
	[DIALECT_WARNING_KINDS] = {"warning-kinds", 4004, 0},
	[DIALECT_MARGIN_FIRST] = {"margin-first", 0, 4000},
	[DIALECT_CUSTOM_DOUBTED] = {"custom-doubted", 0, 4000},
	[DIALECT_UNSET_EMPTIES] = {"unset-empties", 4004, 0},
	[DIALECT_SIGNAL_NUMBERS] = {"signal-numbers", 3029, 0},
	[DIALECT_LARGE_PIECES] = {"large-pieces", 3029, 0},
	[DIALECT_BUILD_COUNTS_ALWAYS] = {"build-counts-always", 0, 4000},
	[DIALECT_MEMCHECK_JUNIT] = {"memcheck-junit", 4000, 0},
	[DIALECT_BUILD_IGNORES_ERRORS] = {"build-ignores-errors", 0, 4000},
};

struct dialect_row
dialect_row(enum dialect_feature feature)
{
	INVARIANT(feature < DIALECT_FEATURES);
	return rows[feature];
}

/* The last patch release that was made of a minor one; 0 where it does not matter. */
static unsigned
usual_patch(unsigned version)
{
	return version == 3025 ? 1 : version == 4004 ? 2 : 0;
}

struct dialect
dialect_of(unsigned version)
{
	struct dialect d = {.version = version, .patch = usual_patch(version)};
	unsigned as = version < OLDEST ? OLDEST : version > NEWEST ? NEWEST : version;

	for (size_t i = 0; i < DIALECT_FEATURES; i++)
		d.has[i] = as >= rows[i].since && (!rows[i].until || as < rows[i].until);
	return d;
}

/* The next number of "4.4.2"; *rest loses it and the dot behind it. */
static bool
next_number(struct str *rest, unsigned *value)
{
	size_t dot = str_find(*rest, '.');
	uint64_t v;

	if (!str_unsigned((struct str){rest->p, dot}, 999, &v))
		return false;
	*value = (unsigned)v;
	*rest = str_from(*rest, dot < rest->n ? dot + 1 : dot);
	return true;
}

bool
dialect_parse(struct str version, struct dialect *out)
{
	struct str rest = str_trim(version);
	unsigned major, minor, patch;

	if (rest.n == 0 || rest.p[rest.n - 1] == '.' || !next_number(&rest, &major) ||
		!next_number(&rest, &minor))
		return false;
	patch = usual_patch(major * 1000 + minor);
	if (rest.n && (!next_number(&rest, &patch) || rest.n))
		return false;
	*out = dialect_of(major * 1000 + minor);
	out->patch = patch;
	return true;
}

/* CMAKE_CACHE_<part>_VERSION:INTERNAL=3, or STR_NONE. */
static struct str
cached(struct str cache, const char *head)
{
	struct str key = str_of(head), line;

	while (str_take_line(&cache, &line))
		if (str_begins(line, key))
			return str_trim(str_from(line, key.n));
	return STR_NONE;
}

/* A cache that does not say it well says nothing. false: it is there and cannot be read.
 */
static bool
from_cache(struct dialect *out, struct arena *a, struct str directory, struct diag *d)
{
	struct str path =
		path_join(a, directory.n ? directory : STR("."), STR("CMakeCache.txt"));
	struct str text, major, minor, patch;

	*out = dialect_of(NEWEST);
	if (!file_read(a, str_z(a, path), &text))
		return error_is_absence(errno) || errno == EISDIR ||
		       diag_error(d, NO_PLACE,
			       "%.*s, which names the release of ctest, cannot be read: "
			       "%s",
			       STR_ARG(path), strerror(errno));
	major = cached(text, "CMAKE_CACHE_MAJOR_VERSION:INTERNAL=");
	minor = cached(text, "CMAKE_CACHE_MINOR_VERSION:INTERNAL=");
	patch = cached(text, "CMAKE_CACHE_PATCH_VERSION:INTERNAL=");
	if (!dialect_parse(str_fmt(a, "%.*s.%.*s.%.*s", STR_ARG(major), STR_ARG(minor),
				   patch.n ? (int)patch.n : 1, patch.n ? patch.p : "0"),
		    out))
		*out = dialect_of(NEWEST);
	return true;
}

bool
dialect_choose(struct dialect *out, struct arena *a, struct str option,
	const char *environment, struct str directory, struct diag *d)
{
	struct str asked = option.n ? option : str_of(environment);

	if (asked.n) {
		if (dialect_parse(asked, out))
			return true;
		return diag_error(d, NO_PLACE,
			"%s \"%.*s\" is not a version such as 3.25",
			option.n ? "--compat-version" : "CCTR_COMPAT_VERSION",
			STR_ARG(asked));
	}
	return from_cache(out, a, directory, d);
}

struct str
dialect_text(struct arena *a, const struct dialect *dialect)
{
	return str_fmt(a, "%u.%u.%u", dialect->version / 1000, dialect->version % 1000,
		dialect->patch);
}
