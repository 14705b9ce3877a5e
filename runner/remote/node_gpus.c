/* See node_gpus.h. */
#include "runner/remote/node_gpus.h"

#include "runner/resources/machine.h"

static struct str
near_text(struct arena *a, const struct layout *l, struct str bus)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; l && i < l->devices.n; i++)
		if (bus.n && str_eq(l->devices.v[i].bus, bus) && !b.n)
			for (size_t k = 0; k < l->n; k++)
				buf_char(&b, l->devices.v[i].is_near[k] ? '1' : '0');
	return b.n ? buf_as_str(&b) : STR("");
}

/* The numbers of a batch system are those of one vendor's. */
static bool
are_of_one_vendor(const struct machine *m)
{
	for (size_t i = 0; i < m->gpus.n; i++)
		if (!str_eq(m->gpus.v[i].vendor, m->gpus.v[0].vendor))
			return false;
	return true;
}

/* Without devices of unknown vendors, which only show a picture. */
static void
keep_known(struct machine *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->gpus.n; i++)
		if (m->gpus.v[i].vendor.n)
			m->gpus.v[n++] = m->gpus.v[i];
	m->gpus.n = n;
}

/* All of the machine's: what a batch system has hidden are those of other jobs, which
 * would change the numbers. */
struct str_list
node_gpus_here(struct arena *a, const struct layout *l)
{
	const struct machine_source here = {.root = STR("")};
	const struct gpu_session all = {.is_by_bus = true};
	struct diag unsaid = diag_in(a);
	struct machine m;
	str_vec v = {0};

	if (!machine_probe(a, &here, &m, &unsaid))
		return (struct str_list){0};
	machine_keep_visible(a, &m, &all);
	keep_known(&m);
	if (!are_of_one_vendor(&m))
		l = NULL;
	for (size_t i = 0; i < m.gpus.n; i++)
		VEC_PUSH(a, &v, near_text(a, l, m.gpus.v[i].bus));
	return str_vec_list(&v);
}

const bool *
node_gpus_near(struct arena *a, struct str_list gpus, struct str_list ids, size_t n)
{
	bool *near = NULL;
	uint64_t number;

	for (size_t i = 0; i < ids.n; i++) {
		if (!str_unsigned(ids.v[i], UINT32_MAX, &number) || number >= gpus.n ||
			gpus.v[number].n != n)
			continue;
		if (!near)
			near = NEW_ARRAY(a, bool, n);
		for (size_t k = 0; k < n; k++)
			near[k] = near[k] || gpus.v[number].p[k] == '1';
	}
	return near;
}
