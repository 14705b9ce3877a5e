/* Lines that come through a descriptor, between a run and its PMIx server. */
#ifndef CCTR_RUNNER_PMIX_PMIX_LINES_H
#define CCTR_RUNNER_PMIX_PMIX_LINES_H

#include "runner/base/base.h"

struct pmix_lines {
	int fd; /* borrowed */
	struct arena *arena; /* of the lines alone */
	struct buf in;
	size_t taken; /* of in */
};

struct pmix_lines pmix_lines_open(int fd);
void pmix_lines_close(struct pmix_lines *l);
/* Reads once; lines that were not taken stay. false: the end. */
bool pmix_lines_read(struct pmix_lines *l);
/* The next whole line, valid until the next read. false: there is none yet. */
bool pmix_lines_take(struct pmix_lines *l, struct str *line);

#endif
