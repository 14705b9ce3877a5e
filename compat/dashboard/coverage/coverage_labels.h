/*
 * Labels of sources: CMakeFiles/TargetDirectories.txt names the directories of targets,
 * and each directory's Labels.txt gives the labels of the target and of its sources.
 */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LABELS_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LABELS_H

#include "runner/base/base.h"

struct coverage;
typedef VEC(uint32_t) label_set; /* numbers, ascending, without duplicates */
struct coverage_labels {
	struct map numbers; /* of labels, in order of first appearance */
	struct map by_source; /* index into sets */
	struct map by_directory; /* of the target and all its sources */
	VEC(label_set) sets;
	label_set filter; /* empty: all labels */
};

void coverage_labels_load(struct coverage *c, struct str_list filter);
/* Directories of targets that have a requested label, or a source with one, sorted by
 * name. */
struct str_list coverage_target_directories(struct coverage *c);
/* true: the source has a requested label. */
bool coverage_has_label(struct coverage *c, struct str path);
struct str_list coverage_labels_of(struct coverage *c, struct str path);

#endif
