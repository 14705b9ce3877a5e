/* --show-only=json-v1, identical to ctest's bytes: ctest(1), "Show as JSON Object
 * Model". */
#ifndef CCTR_COMPAT_REPORT_SHOW_ONLY_H
#define CCTR_COMPAT_REPORT_SHOW_ONLY_H

#include "compat/launch/executable.h"
#include "runner/cmakelang/dialect.h"
#include "runner/model/select.h"

struct wrapper;
struct json_listing {
	const struct selection *selection;
	struct executable_finder *finder;
	const struct wrapper *wrapper; /* the program that would run them, or NULL */
	const struct dialect *dialect;
	struct str configuration; /* -C, or "" */
	double timeout_s; /* --timeout if it beats TIMEOUT 0, else 0 */
	struct str_list pass_through; /* arguments after "--", for every test */
};
/* Appends the document, without a final newline. */
void show_only_json(struct buf *out, const struct json_listing *what);

#endif
