/* Where cctr's own files are, as seen from the running program. */
#ifndef CCTR_RUNNER_PROCESS_INSTALL_PATHS_H
#define CCTR_RUNNER_PROCESS_INSTALL_PATHS_H

#include "runner/base/base.h"

/* The running program, with symbolic links resolved; STR_NONE where the system does not
 * tell. */
struct str program_path(struct arena *a);
/* The folder with cctr's .cmake files: share/cctr beside the program's bin, else that of
 * the source tree. Ends with NUL. */
struct str share_directory(struct arena *a);

#endif
