/*
 * The engine of agents, with agents that are not there: one process plays them all, with
 * the real protocol over real sockets, and starts no test.
 *
 *   agents run AGENTS SLOTS TESTS   SLOTS of each agent
 *
 * prints the seconds until all agents are ready, KiB of memory of each agent,
 * microseconds of processor time of each test in the scheduler and the engine, seconds of
 * the clock, and MiB of memory at the end.
 *
 * The launcher of an agent, "agents pass SOCKET", gives its connection to that process
 * and exits, which the engine does not mind.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/process/install_paths.h"
#include "runner/remote/engine_remote.h"
#include "runner/remote/message.h"
#include "runner/remote/remote_options.h"
#include "runner/schedule/scheduler.h"

#define VERSION "bench"
#define MINUTE_NS 60000000000u
#define SLICE_NS 2000000u

extern char **environ;

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- the launcher ---------------------------------------------------------------- */

static struct sockaddr_un
address_of(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
	return to;
}

/* Standard input, which is the connection, and standard error. */
union passed {
	char bytes[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

static int
pass(const char *path)
{
	struct sockaddr_un to = address_of(path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), fds[2] = {STDIN_FILENO, STDERR_FILENO};
	char byte = 0;
	struct iovec io = {&byte, 1};
	union passed control = {{0}};
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fds);
	memcpy(CMSG_DATA(c), fds, sizeof fds);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0 ||
		sendmsg(fd, &m, 0) != 1)
		fail("pass");
	return 0;
}

/* ---- the agents ------------------------------------------------------------------ */

struct played {
	int fd;
	struct buf in;
};
struct task {
	int fd, number;
};
struct stage {
	struct arena *a;
	struct pollfd *polled; /* the first is where launchers come */
	struct played *v;
	size_t n;
	int slots;
	struct task *tasks; /* a ring of those that run */
	size_t most, first, running;
	struct buf out;
	size_t greeted, agents;
	int all; /* gets a byte when all agents have been greeted */
};

static void
put(struct stage *s, int fd, const struct message *m)
{
	s->out.n = 0;
	message_write(&s->out, m);
	if (write(fd, s->out.p, s->out.n) != (ssize_t)s->out.n)
		_exit(0);
}

static void
end_first(struct stage *s)
{
	const struct task *t = &s->tasks[s->first];

	put(s, t->fd,
		&(struct message){.kind = MESSAGE_OUTCOME,
			.task = t->number,
			.outcome = {.ending = END_EXITED, .duration_ns = 1000000}});
	s->first = (s->first + 1) % s->most;
	s->running--;
}

static void
say_hello(struct stage *s, int fd, const struct greeting *g, struct arena *scratch)
{
	struct message m = {.kind = MESSAGE_HELLO,
		.hello = {.protocol = MESSAGE_PROTOCOL,
			.program = VERSION,
			.host = "host",
			.processors = s->slots}};

	if (!file_read(scratch, g->witness, &m.hello.witness))
		fail(g->witness);
	put(s, fd, &m);
	if (++s->greeted == s->agents && write(s->all, "", 1) != 1)
		fail("all");
}

static void
obey(struct stage *s, int fd, const struct message *m, struct arena *scratch)
{
	if (m->kind == MESSAGE_GREETING)
		say_hello(s, fd, &m->greeting, scratch);
	if (m->kind == MESSAGE_GOODBYE)
		_exit(0);
	if (m->kind != MESSAGE_LAUNCH)
		return;
	if (s->running == s->most)
		end_first(s);
	s->tasks[(s->first + s->running++) % s->most] = (struct task){fd, m->task};
}

static void
hear(struct stage *s, struct played *p)
{
	static char block[1 << 16];
	ssize_t got = read(p->fd, block, sizeof block);
	struct arena *scratch = arena_open();
	struct message m;
	struct str bytes;
	const char *why;

	if (got <= 0)
		_exit(0);
	buf_add(&p->in, block, (size_t)got);
	bytes = buf_as_str(&p->in);
	while (message_read(scratch, &bytes, &m, &why) == MESSAGE_WHOLE)
		obey(s, p->fd, &m, scratch);
	memmove(p->in.p, bytes.p, bytes.n);
	p->in.n = bytes.n;
	arena_close(scratch);
}

static void
take_connection(struct stage *s)
{
	int from = accept(s->polled[0].fd, NULL, NULL), fds[2];
	char byte;
	struct iovec io = {&byte, 1};
	union passed control;
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes};

	if (from < 0 || recvmsg(from, &m, 0) != 1 || !CMSG_FIRSTHDR(&m))
		fail("take_connection");
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fds);
	close(from);
	s->v[s->n] = (struct played){.fd = fds[0], .in = {.arena = s->a}};
	s->polled[++s->n] = (struct pollfd){.fd = fds[0], .events = POLLIN};
}

/* Tests end in order, when as many run as there are slots, or when nothing new comes. */
static _Noreturn void
play(int listener, int all, size_t agents, int slots)
{
	struct arena *a = arena_open();
	struct stage s = {.a = a,
		.polled = NEW_ARRAY(a, struct pollfd, agents + 1),
		.v = NEW_ARRAY(a, struct played, agents),
		.slots = slots,
		.most = agents * (size_t)slots,
		.agents = agents,
		.all = all,
		.out = {.arena = a}};

	s.tasks = NEW_ARRAY(a, struct task, s.most);
	s.polled[0] = (struct pollfd){.fd = listener, .events = POLLIN};
	for (;;) {
		int n = poll(s.polled, s.n + 1, s.running ? 0 : -1);

		for (size_t i = 1; n > 0 && i <= s.n; i++)
			if (s.polled[i].revents)
				hear(&s, &s.v[i - 1]);
		if (s.polled[0].revents)
			take_connection(&s);
		for (size_t i = 0; n == 0 && s.running && i < 64; i++)
			end_first(&s);
	}
}

/* ---- the run --------------------------------------------------------------------- */

struct driver {
	struct scheduler *scheduler;
	size_t passed;
};

static void
on_ended(void *context, node_id node, const struct outcome *o)
{
	struct driver *d = context;

	d->passed += o->ending == END_EXITED && o->exit_code == 0;
	scheduler_ended(d->scheduler, node);
}

static void
on_again(void *context, node_id node, struct str lost, struct str why)
{
	(void)context;
	(void)node;
	fprintf(stderr, "%.*s was lost: %.*s\n", STR_ARG(lost), STR_ARG(why));
}

static void
on_warning(void *context, struct str text)
{
	(void)context;
	fprintf(stderr, "%.*s\n", STR_ARG(text));
}

static void
on_interrupted(void *context, int signal)
{
	(void)context;
	exit(128 + signal);
}

static struct scheduler *
schedule(struct arena *a, size_t tests, size_t parallel)
{
	struct test *v = NEW_ARRAY(a, struct test, tests);
	struct suite *suite = NEW(a, struct suite);
	struct selection *s = NEW(a, struct selection);
	struct plan_options po = {.parallel = parallel, .schedule = SCHEDULE_CTEST};
	struct scheduler_options so = {.parallel = parallel};
	const struct test *culprit;

	*suite = (struct suite){.tests = v, .n = tests};
	*s = (struct selection){.suite = suite,
		.v = NEW_ARRAY(a, struct selected, tests),
		.n = tests,
		.loaded = tests};
	po.recorded = NEW_ARRAY(a, struct recorded, tests);
	for (size_t i = 0; i < tests; i++) {
		v[i] = (struct test){.name = STR("t"), .properties = &properties_default};
		s->v[i] =
			(struct selected){.test = (test_id)i, .number = (unsigned)i + 1};
	}
	return scheduler_new(a, plan_build(a, s, &po, &culprit), &so);
}

static double
processor_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t
resident_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long size = 0, resident = 0;

	if (!f || fscanf(f, "%lu %lu", &size, &resident) != 2)
		fail("/proc/self/statm");
	fclose(f);
	return resident * (size_t)sysconf(_SC_PAGESIZE) / 1024;
}

static struct engine *
open_agents(struct arena *a, const char *folder, size_t agents, struct driver *d)
{
	struct remote_options *o = NEW(a, struct remote_options);
	struct engine_listener listener = {.context = d,
		.line_tag = "<CTest",
		.ended = on_ended,
		.again = on_again,
		.warning = on_warning,
		.interrupted = on_interrupted};
	struct str *launcher = NEW_ARRAY(a, struct str, 3);
	struct diag diag = diag_in(a);
	struct engine *e;

	launcher[0] = program_path(a);
	launcher[1] = STR("pass");
	launcher[2] = str_fmt(a, "%s/socket", folder);
	*o = (struct remote_options){.here = path_here(a),
		.launcher = {launcher, 3},
		.program = VERSION,
		.silence_ns = MINUTE_NS,
		.patience_ns = MINUTE_NS};
	o->nodes = (struct str_list){NEW_ARRAY(a, struct str, agents), agents};
	for (size_t i = 0; i < agents; i++)
		o->nodes.v[i] = str_fmt(a, "n%zu", i);
	e = engine_remote_open(o, a, str_of(folder), &listener, &diag);
	if (!e)
		fail("the engine does not open");
	return e;
}

static void
await_agents(struct engine *e, int all)
{
	struct pollfd p = {.fd = all, .events = POLLIN};
	struct loop_reader *r = loop_watch(e->loop, all, NULL, NULL);

	while (poll(&p, 1, 0) == 0)
		e->type->wait(e, NO_TIMEOUT);
	loop_unwatch(r);
}

static void
run_tests(struct engine *e, struct driver *d)
{
	static const char *const argv[] = {"/bin/true", NULL};
	static struct launch l = {.path = "/bin/true",
		.argv = argv,
		.directory = "/",
		.timeout_ns = NO_TIMEOUT,
		.slots = 1};
	uint64_t slice_ns = loop_now_ns() + SLICE_NS;
	int error;

	l.environment = (const char *const *)environ;
	for (;;) {
		struct action next = scheduler_next(d->scheduler, SIZE_MAX);

		if (next.kind == ACT_DONE)
			return;
		if (next.kind == ACT_START)
			e->type->start(e, next.node, &l, &error);
		if (next.kind == ACT_START && loop_now_ns() < slice_ns)
			continue;
		e->type->wait(e, next.kind == ACT_START ? 0 : NO_TIMEOUT);
		slice_ns = loop_now_ns() + SLICE_NS;
	}
}

static int
run(size_t agents, int slots, size_t tests)
{
	char folder[] = "/tmp/cctr-agents-XXXXXX";
	struct arena *a = arena_open();
	struct driver d = {0};
	struct sockaddr_un at;
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), all[2];
	size_t before, ready;
	uint64_t began_ns;
	double used_s, ready_s;
	struct engine *e;
	pid_t stage;

	if (!mkdtemp(folder))
		fail(folder);
	at = address_of(str_fmt(a, "%s/socket", folder).p);
	if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 ||
		listen(listener, 4096) != 0 || pipe(all) != 0)
		fail("socket");
	stage = fork();
	if (stage == 0) {
		struct rlimit most;

		getrlimit(RLIMIT_NOFILE, &most);
		most.rlim_cur = most.rlim_max;
		setrlimit(RLIMIT_NOFILE, &most);
		play(listener, all[1], agents, slots);
	}
	close(listener);
	d.scheduler = schedule(a, tests, agents * (size_t)slots);
	before = resident_kib();
	began_ns = loop_now_ns();
	e = open_agents(a, folder, agents, &d);
	await_agents(e, all[0]);
	ready = resident_kib();
	ready_s = (double)(loop_now_ns() - began_ns) / 1e9;
	used_s = processor_s();
	began_ns = loop_now_ns();
	run_tests(e, &d);
	used_s = processor_s() - used_s;
	printf("%.3f %.1f %.3f %.3f %.1f\n", ready_s,
		(double)(ready - before) / (double)agents, used_s / (double)tests * 1e6,
		(double)(loop_now_ns() - began_ns) / 1e9, (double)resident_kib() / 1024);
	e->type->close(e);
	waitpid(stage, NULL, 0);
	unlink(at.sun_path);
	rmdir(folder);
	arena_close(a);
	return d.passed == tests ? 0 : 1;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "pass") == 0)
		return pass(argv[2]);
	if (argc == 5 && strcmp(argv[1], "run") == 0)
		return run((size_t)atol(argv[2]), atoi(argv[3]), (size_t)atol(argv[4]));
	fputs("usage: agents run AGENTS SLOTS TESTS\n", stderr);
	return 2;
}
