/* Tells AddressSanitizer, where it watches, which memory is not in use. */
#ifndef CCTR_RUNNER_BASE_POISON_H
#define CCTR_RUNNER_BASE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define CCTR_ASAN 1
#elif defined(__has_feature)
#define CCTR_ASAN __has_feature(address_sanitizer)
#else
#define CCTR_ASAN 0
#endif

#if CCTR_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

#endif
