/*
 * A topology through a pipe. See probe.h.
 *
 * One line per item, its parts separated by tabs; the line "end" marks completeness.
 */
#include "runner/resources/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/process/brand.h"
#include "runner/process/guardian.h"
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
	for (size_t i = 0; i < m->gpus.n; i++) {
		const struct machine_gpu *g = &m->gpus.v[i];

		buf_z(b, "gpu");
		add_part(b, g->bus);
		add_part(b, g->vendor);
		add_part(b, g->model);
		add_part(b, g->uuid);
		buf_char(b, '\n');
	}
	buf_z(b, END);
}

static struct str
cut_part(struct str *rest, char at)
{
	size_t n = str_find(*rest, at);
	struct str part = str_cut(rest->p, n);

	*rest = str_from(*rest, n < rest->n ? n + 1 : n);
	return part;
}

struct reading {
	struct arena *a;
	struct machine *m;
	VEC(unsigned) numbers;
	bool is_whole;
};

static void
read_line(struct reading *r, struct str line)
{
	struct str word = cut_part(&line, '\t');
	uint64_t n = 0;

	if (str_is(word, "gpu")) {
		struct machine_gpu g;

		g.bus = cut_part(&line, '\t');
		g.vendor = cut_part(&line, '\t');
		g.model = cut_part(&line, '\t');
		g.uuid = cut_part(&line, '\t');
		VEC_PUSH(r->a, &r->m->gpus, g);
		return;
	}
	if (str_is(word, "end"))
		r->is_whole = true;
	if (!str_unsigned(line, UINT64_MAX, &n))
		return;
	if (str_is(word, "processors"))
		r->m->processors = n ? (size_t)n : 1;
	else if (str_is(word, "memory"))
		r->m->memory_bytes = n;
	else if (str_is(word, "this"))
		r->m->is_this_system = n != 0;
	else if (str_is(word, "number"))
		VEC_PUSH(r->a, &r->numbers, (unsigned)n);
}

static bool
read_machine(struct arena *a, struct str text, struct machine *m)
{
	struct reading r = {.a = a, .m = m};

	*m = (struct machine){.processors = 1};
	while (text.n)
		read_line(&r, cut_part(&text, '\n'));
	if (r.numbers.n && r.numbers.n == m->processors)
		m->numbers = r.numbers.v;
	return r.is_whole;
}

/* ---- two processes --------------------------------------------------------------- */

CCTR_NORETURN static void
write_and_exit(struct arena *a, probe_reader *read, int out)
{
	struct machine m;
	struct buf b = {.arena = a};
	int null = open("/dev/null", O_RDWR);

	brand_put(brand_next());
	guardian_leave();
	if (null >= 0)
		for (int fd = 0; fd <= 2; fd++)
			dup2(null, fd);
	if (!read(a, &(struct topology_text){NULL, NULL}, &m))
		_exit(1);
	write_machine(&b, &m);
	_exit(file_put(out, buf_as_str(&b)) && close(out) == 0 ? 0 : 1);
}

/* Reads until everything is there, the other end is closed, or the time is over. */
static void
collect_output(struct buf *b, int in, unsigned timeout_ms)
{
	uint64_t end_ns = loop_now_ns() + timeout_ms * UINT64_C(1000000), now_ns;
	char bytes[4096];

	while ((now_ns = loop_now_ns()) < end_ns) {
		struct pollfd p = {.fd = in, .events = POLLIN};
		ssize_t n;

		if (poll(&p, 1, (int)((end_ns - now_ns) / 1000000) + 1) <= 0)
			continue;
		n = read(in, bytes, sizeof bytes);
		if (n == 0 || (n < 0 && errno != EINTR))
			return;
		if (n > 0)
			buf_add(b, bytes, (size_t)n);
		if (str_ends(buf_as_str(b), STR("\n" END)))
			return;
	}
}

/* false: there is no process, or it did not finish. */
static bool
ask_process(struct arena *a, probe_reader *read, unsigned timeout_ms, struct machine *m)
{
	struct buf b = {.arena = a};
	int ends[2];
	pid_t child;

	guardian_begin();
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	child = fork();
	if (child == 0) {
		close(ends[0]);
		write_and_exit(a, read, ends[1]);
	}
	close(ends[1]);
	if (child > 0) {
		collect_output(&b, ends[0], timeout_ms);
		kill(child, SIGKILL);
		spawn_wait(child, NULL, 0);
	}
	close(ends[0]);
	return b.n && read_machine(a, buf_as_str(&b), m);
}

bool
probe_machine(
	struct arena *a, probe_reader *read, unsigned timeout_ms, struct machine *machine)
{
	if (ask_process(a, read, timeout_ms, machine))
		return true;
	*machine = (struct machine){
		.processors = topology_processors(), .is_this_system = true};
	return false;
}
