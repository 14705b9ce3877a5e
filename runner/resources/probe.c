/*
 * A topology through a pipe. See probe.h.
 *
 * One line per item, its parts separated by tabs; the line "end" marks completeness.
 */
#include "runner/resources/probe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/process/brand.h"
#include "runner/process/guardian.h"
#include "runner/process/processors.h"
#include "runner/process/spawn.h"

#define END "end\n"

/* ---- as text --------------------------------------------------------------------- */

static void
add_part(struct buf *b, struct str s)
{
	buf_char(b, '\t');
	for (size_t i = 0; i < s.n; i++)
		buf_char(b, (unsigned char)s.p[i] < ' ' ? ' ' : s.p[i]);
}

static void
write_machine(struct buf *b, const struct machine *m)
{
	buf_fmt(b, "processors\t%zu\n", m->processors);
	buf_fmt(b, "memory\t%llu\n", (unsigned long long)m->memory_bytes);
	buf_fmt(b, "this\t%d\n", m->is_this_system);
	for (size_t i = 0; m->numbers && i < m->processors; i++)
		buf_fmt(b, "number\t%u\n", m->numbers[i]);
	for (size_t i = 0; i < m->cores; i++)
		buf_fmt(b, "core\t%u\n", m->core_numbers[i]);
	for (size_t i = 0; i < m->gpus.n; i++) {
		const struct machine_gpu *g = &m->gpus.v[i];

		buf_z(b, "gpu");
		add_part(b, g->bus);
		add_part(b, g->vendor);
		add_part(b, g->model);
		add_part(b, g->uuid);
		buf_char(b, '\n');
	}
}

static void
write_layout(struct buf *b, const struct layout *l)
{
	for (size_t i = 0; i < l->n; i++) {
		buf_fmt(b, "place\t%u", l->v[i].number);
		for (int level = 0; level < LAYOUT_LEVELS; level++)
			buf_fmt(b, "\t%u", (unsigned)l->v[i].part[level]);
		buf_char(b, '\n');
	}
	for (size_t i = 0; i < l->devices.n; i++) {
		buf_z(b, "device");
		add_part(b, l->devices.v[i].bus);
		buf_char(b, '\t');
		for (size_t k = 0; k < l->n; k++)
			buf_char(b, l->devices.v[i].is_near[k] ? '1' : '0');
		buf_char(b, '\n');
	}
}

static bool
take_number(struct str *rest, uint64_t most, uint64_t *n)
{
	return str_unsigned(str_take(rest, '\t'), most, n);
}

struct machine_reading {
	struct arena *a;
	struct machine *m;
	VEC(unsigned) numbers, cores;
};

static void
read_gpu(struct machine_reading *r, struct str line)
{
	struct machine_gpu g = {.device = STR("")};

	g.bus = str_take(&line, '\t');
	g.vendor = str_take(&line, '\t');
	g.model = str_take(&line, '\t');
	g.uuid = str_take(&line, '\t');
	VEC_PUSH(r->a, &r->m->gpus, g);
}

static void
read_machine_line(struct machine_reading *r, struct str line)
{
	struct str word = str_take(&line, '\t');
	uint64_t n = 0;

	if (str_is(word, "gpu"))
		read_gpu(r, line);
	else if (!take_number(&line, UINT64_MAX, &n))
		return;
	else if (str_is(word, "processors"))
		r->m->processors = n ? (size_t)n : 1;
	else if (str_is(word, "memory"))
		r->m->memory_bytes = n;
	else if (str_is(word, "this"))
		r->m->is_this_system = n != 0;
	else if (str_is(word, "number"))
		VEC_PUSH(r->a, &r->numbers, (unsigned)n);
	else if (str_is(word, "core"))
		VEC_PUSH(r->a, &r->cores, (unsigned)n);
}

static void
read_machine(struct arena *a, struct str text, struct machine *m)
{
	struct machine_reading r = {.a = a, .m = m};

	*m = (struct machine){.processors = 1};
	while (text.n)
		read_machine_line(&r, str_take(&text, '\n'));
	if (r.numbers.n && r.numbers.n == m->processors)
		m->numbers = r.numbers.v;
	m->core_numbers = r.cores.v;
	m->cores = r.cores.n;
}

struct layout_reading {
	struct arena *a;
	VEC(struct layout_place) places;
	struct layout *l;
};

static void
read_place(struct layout_reading *r, struct str line)
{
	struct layout_place place = {.number = 0};
	uint64_t n = 0;

	if (take_number(&line, UINT32_MAX, &n))
		place.number = (unsigned)n;
	for (int level = 0; level < LAYOUT_LEVELS; level++)
		if (take_number(&line, UINT32_MAX, &n))
			place.part[level] = (uint32_t)n;
	VEC_PUSH(r->a, &r->places, place);
}

/* The places come before the devices. */
static void
read_device(struct layout_reading *r, struct str line)
{
	struct layout_device device = {.bus = str_take(&line, '\t')};
	bool *is_near = NEW_ARRAY(r->a, bool, r->places.n);

	for (size_t i = 0; i < r->places.n && i < line.n; i++)
		is_near[i] = line.p[i] == '1';
	device.is_near = is_near;
	VEC_PUSH(r->a, &r->l->devices, device);
}

static void
read_layout(struct arena *a, struct str text, struct layout *l)
{
	struct layout_reading r = {.a = a, .l = l};

	*l = (struct layout){.n = 0};
	while (text.n) {
		struct str line = str_take(&text, '\n');
		struct str word = str_take(&line, '\t');

		if (str_is(word, "place"))
			read_place(&r, line);
		else if (str_is(word, "device"))
			read_device(&r, line);
	}
	l->v = r.places.v;
	l->n = r.places.n;
}

/* ---- two processes --------------------------------------------------------------- */

/* What the separate process is to write; one of the two readers. */
struct task {
	probe_reader *machine;
	probe_layout_reader *layout;
	bool with_devices;
};

static bool
write_task(struct arena *a, const struct task *t, struct buf *b)
{
	static const struct topology_text here = {NULL, NULL};
	struct machine m;
	struct layout l;

	if (t->machine && t->machine(a, &here, &m))
		write_machine(b, &m);
	else if (t->layout && t->layout(a, &here, t->with_devices, &l))
		write_layout(b, &l);
	else
		return false;
	buf_z(b, END);
	return true;
}

/* hwloc reads the environment itself. It reports every GPU only if no variable hides one,
 * and it is quiet only with a variable. */
static void
prepare_environment(void)
{
	unsetenv("CUDA_VISIBLE_DEVICES");
	unsetenv("ROCR_VISIBLE_DEVICES");
	unsetenv("HIP_VISIBLE_DEVICES");
	setenv("HWLOC_HIDE_ERRORS", "2", 0);
}

/* In the child. */
CCTR_NORETURN static void
write_and_exit(struct arena *a, const struct task *t, int out)
{
	struct buf b = {.arena = a};
	int null = open("/dev/null", O_RDWR);

	brand_put(brand_next());
	guardian_leave();
	prepare_environment();
	if (null >= 0)
		for (int fd = 0; fd <= 2; fd++)
			dup2(null, fd);
	if (!write_task(a, t, &b))
		_exit(1);
	_exit(file_put(out, buf_as_str(&b)) && close(out) == 0 ? 0 : 1);
}

/* Reads until everything is there, the other end is closed, or the time is over. */
static enum probe_end
collect_output(struct buf *b, int in, unsigned timeout_ms)
{
	uint64_t end_ns = loop_now_ns() + timeout_ms * UINT64_C(1000000);
	char bytes[4096];

	while (loop_now_ns() < end_ns) {
		int ready = loop_await(in, POLLIN, end_ns);
		ssize_t n;

		if (ready == 0)
			continue;
		n = ready < 0 ? -1 : file_get_now(in, bytes, sizeof bytes);
		if (n <= 0)
			return PROBE_FAILED;
		buf_add(b, bytes, (size_t)n);
		if (str_ends(buf_as_str(b), STR("\n" END)))
			return PROBE_READ;
	}
	return PROBE_TOO_LONG;
}

static enum probe_end
ask_process(struct arena *a, const struct task *t, unsigned timeout_ms, struct buf *b)
{
	enum probe_end end = PROBE_FAILED;
	int ends[2];
	pid_t child;

	guardian_begin();
	if (pipe2(ends, O_CLOEXEC) != 0)
		return PROBE_FAILED;
	child = fork();
	if (child == 0) {
		close(ends[0]);
		write_and_exit(a, t, ends[1]);
	}
	close(ends[1]);
	if (child > 0) {
		end = collect_output(b, ends[0], timeout_ms);
		kill(child, SIGKILL);
		spawn_wait(child, NULL, 0);
	}
	close(ends[0]);
	return end;
}

enum probe_end
probe_machine(
	struct arena *a, probe_reader *read, unsigned timeout_ms, struct machine *machine)
{
	const struct task task = {.machine = read};
	struct buf b = {.arena = a};
	enum probe_end end = ask_process(a, &task, timeout_ms, &b);

	INVARIANT(read && timeout_ms);
	if (end == PROBE_READ)
		read_machine(a, buf_as_str(&b), machine);
	else
		*machine = (struct machine){
			.processors = processors_count(), .is_this_system = true};
	return end;
}

enum probe_end
probe_layout(struct arena *a, probe_layout_reader *read, bool with_devices,
	unsigned timeout_ms, struct layout *layout)
{
	const struct task task = {.layout = read, .with_devices = with_devices};
	struct buf b = {.arena = a};
	enum probe_end end = ask_process(a, &task, timeout_ms, &b);

	INVARIANT(read && timeout_ms);
	if (end == PROBE_READ)
		read_layout(a, buf_as_str(&b), layout);
	else
		*layout = layout_flat(a, processors_here(a));
	return end;
}

struct str
probe_complaint(struct arena *a, enum probe_end end, unsigned timeout_ms)
{
	INVARIANT(end != PROBE_READ);
	if (end == PROBE_TOO_LONG)
		return str_fmt(a,
			"the topology of the machine could not be read within %u s",
			timeout_ms / 1000);
	return STR("the topology of the machine could not be read");
}
