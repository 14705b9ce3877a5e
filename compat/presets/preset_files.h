/* Presets files and what they include: each file is read once. */
#ifndef CCTR_COMPAT_PRESETS_PRESET_FILES_H
#define CCTR_COMPAT_PRESETS_PRESET_FILES_H

#include "compat/presets/preset_fault.h"

struct preset_file {
	struct json_document document;
	struct str directory; /* as spelled */
	int version;
	size_t index;
};

struct preset_files;
/* Takes the presets of a file: before those of the files that it includes. */
typedef bool preset_take(void *taker, const struct preset_file *file);
struct preset_files_request {
	struct preset_faults *faults;
	struct str directory; /* ${sourceDir} */
	struct str named; /* --presets-file, or "" */
	struct str text; /* of the first file; STR_NONE: it is to be read */
	const struct preset_files *earlier; /* whose texts are used again, or NULL */
	preset_take *take;
	void *taker;
};
/* Reads the files of the directory, or the named one. *is_read: false after
 * preset_wrong. */
const struct preset_files *preset_files_read(
	const struct preset_files_request *request, bool *is_read);
/* Whether `from` is `to` or includes it. */
bool preset_files_reach(const struct preset_files *files, const struct preset_file *from,
	const struct preset_file *to);

#endif
