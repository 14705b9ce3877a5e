/* Small files of the system, as /proc and /sys have them. */
#ifndef CCTR_RUNNER_RESOURCES_SYSTEM_FILE_H
#define CCTR_RUNNER_RESOURCES_SYSTEM_FILE_H

#include "runner/base/base.h"

/* The text without blanks at its ends; "" where the file cannot be read. */
struct str system_file_text(struct arena *a, struct str path);
/* The value of the line "Name: value" or "name value"; "" where there is none. */
struct str system_file_value(struct str text, struct str name);

#endif
