/* The listing of nvidia-smi -L. See gpu_parts.h. */
#include "runner/resources/gpu_parts.h"

/* The UUID of "Name (UUID: MIG-1)", and *name, "Name". STR_NONE: the line has no UUID. */
static struct str
read_uuid(struct str line, struct str *name)
{
	static const struct str before = STR(" (UUID: ");
	size_t at = str_search(line, before), end;

	if (at == line.n)
		return STR_NONE;
	*name = str_trim(str_cut(line.p, at));
	line = str_from(line, at + before.n);
	end = str_find(line, ')');
	return end < line.n ? str_cut(line.p, end) : STR_NONE;
}

/* "MIG 1g.10gb     Device  0:" is a part of the model "MIG 1g.10gb". */
static struct str
model_of_part(struct str name)
{
	return str_trim(str_cut(name.p, str_search(name, STR(" Device "))));
}

static bool
is_nvidia(const struct machine_gpu *g)
{
	return str_is(g->vendor, "nvidia");
}

/* The GPU of "GPU 1: Name (UUID: GPU-2)", the place-th of NVIDIA's. NULL: the machine
 * does not have it. */
static struct machine_gpu *
find_gpu(struct machine *m, size_t place, struct str uuid)
{
	for (size_t i = 0; i < m->gpus.n; i++) {
		struct machine_gpu *g = &m->gpus.v[i];

		if (!is_nvidia(g))
			continue;
		if (g->uuid.n ? str_eq(g->uuid, uuid) : place == 0)
			return g;
		place--;
	}
	return NULL;
}

void
gpu_parts_read(struct arena *a, struct str listing, struct machine *m)
{
	struct machine_gpu *gpu = NULL;
	size_t place = 0;

	INVARIANT(m);
	while (listing.n) {
		struct str line = str_trim(str_take(&listing, '\n')), name;
		struct str uuid = read_uuid(line, &name);

		if (str_begins(line, STR("GPU ")))
			gpu = find_gpu(m, place++, uuid);
		else if (gpu && str_begins(line, STR("MIG ")) &&
			 str_begins(uuid, STR("MIG-")))
			VEC_PUSH(a, &gpu->parts,
				(struct gpu_part){str_dup(a, uuid),
					str_dup(a, model_of_part(name))});
	}
}
