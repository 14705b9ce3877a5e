/* Loads libraries. See library.h. */
#include "runner/base/library.h"

#include <dlfcn.h>
#include <string.h>

bool
library_load(const char *file, const struct library_function *functions, size_t n)
{
	INVARIANT(file && n > 0);
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < n; i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return false;
		memcpy(functions[i].to, &function, sizeof function);
	}
	return library != NULL;
}
