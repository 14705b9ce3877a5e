/*
 * Labels of sources: CMakeFiles/TargetDirectories.txt names the directories of targets,
 * the Labels.txt of each says which labels a target and its sources have.
 */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LABELS_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LABELS_H

#include "runner/base/base.h"

struct coverage;
typedef VEC(uint32_t) label_set; /* numbers, ascending, each once */
struct coverage_labels {
	struct map numbers; /* of labels, by their first appearance */
	struct map by_source; /* index into sets */
	struct map by_directory; /* of the target and all its sources */
	VEC(label_set) sets;
	label_set filter; /* empty: all */
};

void coverage_labels_load(struct coverage *c, struct str_list filter);
/* Directories of targets with a label that is asked for, by name. Those of their sources
 * count, too. */
struct str_list coverage_target_directories(struct coverage *c);
/* The source has one that is asked for. */
bool coverage_has_label(struct coverage *c, struct str path);
struct str_list coverage_labels_of(struct coverage *c, struct str path);

#endif
