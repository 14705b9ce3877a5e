/* Which resources tests may use. ctest(1), "Resource Allocation". */
#ifndef CCTR_COMPAT_OPTIONS_RESOURCE_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_RESOURCE_OPTIONS_H

#include "compat/options/partition_text.h"
#include "runner/resources/packer.h"

enum show_resources { SHOW_RESOURCES_NOT, SHOW_RESOURCES_HUMAN, SHOW_RESOURCES_JSON };

/* --resource TYPE=N[:SLOTS], --oversubscribe TYPE=N */
struct resource_number {
	struct str type;
	uint64_t n, slots;
	bool is_physical; /* cpus=physical: as many as the machine has */
	bool is_listed; /* ports=32000-32100 */
	uint64_t first; /* of is_listed */
};
typedef VEC(struct resource_number) resource_numbers;

/* --no-resource-spec: what tests with RESOURCE_GROUPS may use if no pool is given. */
enum no_spec {
	NO_SPEC_UNSAID, /* unlimited; serial in the place of a batch system */
	NO_SPEC_UNLIMITED,
	NO_SPEC_SERIAL,
	NO_SPEC_AUTO
};

/* --resource-environment: which variables tell a test its resources. */
enum resource_style {
	RESOURCE_STYLE_DEFAULT, /* decided by the pool's sources, see resource_pool.h */
	RESOURCE_STYLE_CTEST, /* only ctest's own variables */
	RESOURCE_STYLE_CCTR,
	RESOURCE_STYLE_CANARY /* also CANARY_<TYPE>_IDS, the type in singular */
};

struct resource_options {
	struct str spec_file; /* --resource-spec-file */
	enum no_spec no_spec;
	struct str pool_file; /* --resource-pool-file */
	resource_numbers numbers, factors;
	partition_texts partitions; /* --partition */
	enum show_resources show;
	enum pack_order placement; /* --resource-placement */
	enum resource_style style; /* --resource-environment */
	struct str gpu_backend; /* "" when not given */
	bool gpu_visible;
	bool shares_host; /* --share-host[=FOLDER] */
	struct str host_folder; /* "": chosen by cctr */
	bool skip_insufficient; /* --insufficient-resources=skip */
};

#endif
