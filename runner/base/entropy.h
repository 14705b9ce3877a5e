/* Numbers that no one can guess, from the system. Nothing here waits for them: early
 * after the start of a machine there are none. */
#ifndef CCTR_RUNNER_BASE_ENTROPY_H
#define CCTR_RUNNER_BASE_ENTROPY_H

#include <stdbool.h>
#include <stdint.h>

/* Random bits, or else bits of the time and of the process. */
uint64_t entropy_number(void);
/* Writes 2 * ENTROPY_BYTES hexadecimal digits and a NUL. false: there are no random
 * numbers, and the text is as it was. */
enum { ENTROPY_BYTES = 16, ENTROPY_TEXT_SIZE = 2 * ENTROPY_BYTES + 1 };
bool entropy_text(char text[ENTROPY_TEXT_SIZE]);

#endif
