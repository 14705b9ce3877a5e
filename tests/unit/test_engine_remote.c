/*
 * The engine of agents, with real agents: this program, started by no other launcher than
 * the system.
 */
#include "runner/base/files.h"
#include "runner/process/install_paths.h"
#include "runner/remote/agent.h"
#include "runner/remote/engine_remote.h"
#include "runner/remote/message.h"
#include "runner/remote/remote_options.h"

static struct engine *open_remote(const void *options, struct arena *a,
	struct str directory, const struct engine_listener *listener, struct diag *d);
#define OPEN_ENGINE open_remote

#include "tests/unit/engine_rows.h"

#define VERSION "1"
#define MINUTE_NS 60000000000u
#define HOUR_US ((int64_t)3600 * 1000000)

static struct str nodes[] = {{"one", 3}, {"two", 3}};

/* What the next engine is opened with. */
static struct {
	size_t nodes;
	bool has_local;
	bool are_pilots; /* of the same words */
	const char *launcher[4]; /* its words */
	uint64_t silence_ns, patience_ns, doubt_ns, idle_ns;
} next;

static void
choose(size_t n, const char *first, const char *second)
{
	next.nodes = n;
	next.has_local = next.are_pilots = false;
	next.launcher[0] = first;
	next.launcher[1] = second;
	next.silence_ns = next.patience_ns = next.idle_ns = MINUTE_NS;
	next.doubt_ns = 20u * MS;
}

static struct engine *
open_remote(const void *options, struct arena *a, struct str directory,
	const struct engine_listener *listener, struct diag *d)
{
	struct remote_options *o = NEW(a, struct remote_options);
	struct remote_pilot *pilots = NEW_ARRAY(a, struct remote_pilot, next.nodes);
	str_vec launcher = {0};

	(void)options;
	for (size_t i = 0; next.launcher[i]; i++)
		VEC_PUSH(a, &launcher,
			str_is(str_of(next.launcher[i]), "{self}")
				? program_path(a)
				: str_of(next.launcher[i]));
	*o = (struct remote_options){.here = path_here(a),
		.nodes = {nodes, next.nodes},
		.launcher = str_vec_list(&launcher),
		.agent = agent_words(a),
		.has_local = next.has_local,
		.program = VERSION,
		.silence_ns = next.silence_ns,
		.patience_ns = next.patience_ns,
		.doubt_ns = next.doubt_ns};
	if (next.are_pilots) {
		for (size_t i = 0; i < next.nodes; i++)
			pilots[i].words = o->launcher;
		o->pilots = pilots;
		o->groups_n = 1;
		o->queued_most = next.nodes;
		o->idle_ns = next.idle_ns;
	}
	return engine_remote_open(o, a, directory, listener, d);
}

static int
setup_plain(void **state)
{
	choose(2, "{agent}", NULL);
	return setup(state);
}
#define setup setup_plain

/* ---- agents that are lost -------------------------------------------------------- */

/* What the listener was told. */
static struct {
	size_t agains, warnings, losses, here, places;
	enum pool_presence presence; /* the last one */
	size_t turns; /* of the loop, while output is searched */
	char warning[300], lost[64], refused[200], asked[64];
} told;

static void
on_again(void *context, node_id node, struct str lost, struct str why)
{
	(void)context;
	(void)node;
	assert_true(why.n > 0);
	told.agains++;
	snprintf(told.lost, sizeof told.lost, "%.*s", STR_ARG(lost));
}

static void
on_loss(void *context, node_id node, struct str lost, struct str why)
{
	on_again(context, node, lost, why);
	told.losses++;
}

static void
on_refused(void *context, node_id node, struct str why)
{
	(void)context;
	assert_int_equal(node, 0);
	snprintf(told.refused, sizeof told.refused, "%.*s", STR_ARG(why));
}

static void
on_warning(void *context, struct str text)
{
	(void)context;
	told.warnings++;
	snprintf(told.warning, sizeof told.warning, "%.*s", STR_ARG(text));
}

/* Opens the engine with what was chosen last. */
static void
open_chosen(void **state)
{
	struct fixture *f;

	memset(&told, 0, sizeof told);
#undef setup
	assert_int_equal(setup(state), 0);
#define setup setup_plain
	f = *state;
	f->engine->listener.again = on_again;
	f->engine->listener.warning = on_warning;
	f->engine->listener.lost = on_loss;
	f->engine->listener.refused = on_refused;
}

static struct launch
shell_launch(const struct fixture *f, const char *script)
{
	static const char *argv[] = {"/bin/sh", "-c", NULL, NULL};
	static const char *const environment[] = {NULL};

	argv[2] = script;
	return (struct launch){.path = argv[0],
		.argv = argv,
		.environment = environment,
		.directory = f->directory,
		.timeout_ns = NO_TIMEOUT};
}

static const struct outcome *
run_shell(struct fixture *f, node_id node, const char *script)
{
	struct launch l = shell_launch(f, script);

	f->ended[node].count = 0;
	begin(f, node, &l);
	return await(f, node);
}

/* The agent is the parent of its tests. */
static void
agent_killed_once(void **state)
{
	struct fixture *f;
	const struct outcome *o;

	choose(2, "{agent}", NULL);
	open_chosen(state);
	f = *state;
	o = run_shell(f, 0, "echo x; mkdir once 2>/dev/null && kill -9 $PPID; exit 3");
	assert_int_equal(o->ending, END_EXITED);
	assert_int_equal(o->exit_code, 3);
	assert_string_equal(o->output.p, "x\n");
	assert_int_equal(told.agains, 1);
	assert_string_not_equal(o->node, told.lost);
	assert_int_equal(teardown(state), 0);
}

static void
agent_killed_twice(void **state)
{
	struct fixture *f;
	const struct outcome *o;

	choose(2, "{agent}", NULL);
	open_chosen(state);
	f = *state;
	o = run_shell(f, 0, "kill -9 $PPID; exit 0");
	assert_int_equal(o->ending, END_NOT_STARTED);
	assert_int_equal(o->refusal, REFUSED_NODE);
	assert_int_equal(told.agains, 1);
	/* The nodes have new agents. */
	assert_int_equal(run_shell(f, 1, "exit 4")->exit_code, 4);
	assert_int_equal(teardown(state), 0);
}

/* SIGTERM to the agent ends its tests, which have not failed by that. */
static void
agent_ends_by_signal(void **state)
{
	struct fixture *f;
	const struct outcome *o;

	choose(1, "{agent}", NULL);
	open_chosen(state);
	f = *state;
	o = run_shell(f, 0,
		"mkdir once 2>/dev/null || exit 5; kill -TERM $PPID; while :; do :; "
		"done");
	assert_int_equal(o->ending, END_EXITED);
	assert_int_equal(o->exit_code, 5);
	assert_int_equal(told.agains, 1);
	assert_int_equal(teardown(state), 0);
}

/* ---- tests that are killed with their agent --------------------------------------- */

#define GONE "while kill -0 $$; do :; done 2>/dev/null; "
#define ENDED "until grep -q 'State:.Z' /proc/$$/status; do :; done; "
#define TEST(how) "(" how ") >/dev/null 2>&1 & while :; do sleep 1; done"

/* A batch system signals all processes of a job, one after the other. $PPID is the agent,
 * which has reaped the test when it is gone. */
static void
killed_with_its_agent(void **state)
{
	static const char *const rows[] = {
		TEST("kill -TERM $$; " GONE "kill -TERM $PPID"),
		TEST("kill -KILL $$; " GONE "kill -KILL $PPID"),
		TEST("kill -KILL $$; " GONE "kill -TERM $PPID"),
		TEST("kill -TERM $PPID; kill -TERM $$"),
		TEST("kill -KILL $PPID; kill -KILL $$"),
		"trap 'exit 143' TERM; " TEST("kill -TERM $$; " GONE "kill -TERM $PPID"),
		/* the agent sees both at once */
		"trap 'exit 1' TERM; " TEST("kill -STOP $PPID; kill -TERM $$; " ENDED
					    "kill -TERM $PPID; kill -CONT $PPID"),
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fixture *f;
		const struct outcome *o;

		choose(2, "{agent}", NULL);
		next.doubt_ns = MINUTE_NS;
		open_chosen(state);
		f = *state;
		o = run_shell(
			f, 0, str_fmt(f->arena, "mkdir once || exit 5; %s", rows[i]).p);
		assert_int_equal(o->ending, END_EXITED);
		assert_int_equal(o->exit_code, 5);
		assert_int_equal(told.agains, 1);
		assert_int_equal(teardown(state), 0);
	}
}

/* What ends a test alone is its result. */
static void
killed_alone(void **state)
{
	static const struct {
		const char *script;
		uint64_t doubt_ns;
		int signal, code;
	} rows[] = {
		{"kill -TERM $$", 20u * MS, SIGTERM, 0},
		{"kill -KILL $$", 20u * MS, SIGKILL, 0},
		{"exit 143", 20u * MS, 0, 143},
		/* at once: */
		{"kill -SEGV $$", MINUTE_NS, SIGSEGV, 0},
		{"kill -ABRT $$", MINUTE_NS, SIGABRT, 0},
		{"exit 1", MINUTE_NS, 0, 1},
		{"exit 0", MINUTE_NS, 0, 0},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct outcome *o;
		uint64_t began_ns;

		choose(1, "{agent}", NULL);
		next.doubt_ns = rows[i].doubt_ns;
		open_chosen(state);
		began_ns = loop_now_ns();
		o = run_shell(*state, 0, rows[i].script);
		assert_true(loop_now_ns() - began_ns < MINUTE_NS);
		assert_int_equal(o->ending, rows[i].signal ? END_SIGNALLED : END_EXITED);
		assert_int_equal(rows[i].signal ? o->signal : o->exit_code,
			rows[i].signal ? rows[i].signal : rows[i].code);
		assert_int_equal(told.agains, 0);
		assert_int_equal(teardown(state), 0);
	}
}

/* cctr itself has signalled the test. */
static void
killed_by_cctr(void **state)
{
	struct fixture *f;
	struct launch l;

	choose(1, "{agent}", NULL);
	next.doubt_ns = MINUTE_NS;
	open_chosen(state);
	f = *state;
	l = launch_of(f, "pid @/pid pause");
	begin(f, 0, &l);
	(void)pid_in(f, "pid");
	f->engine->type->signal(f->engine, 0, SIGTERM);
	assert_int_equal(await(f, 0)->signal, SIGTERM);
	assert_int_equal(teardown(state), 0);
}

/* An interruption does not wait for what may come. */
static void
interrupted_while_in_doubt(void **state)
{
	struct fixture *f;
	struct launch l;
	int pid;

	choose(1, "{agent}", NULL);
	next.doubt_ns = MINUTE_NS;
	open_chosen(state);
	f = *state;
	l = launch_of(f, "pid @/pid pause");
	begin(f, 0, &l);
	pid = pid_in(f, "pid");
	kill(pid, SIGKILL);
	while (kill(pid, 0) == 0)
		f->engine->type->wait(f->engine, loop_now_ns() + MS);
	f->engine->type->interrupt(f->engine, SIGINT);
	assert_int_equal(await(f, 0)->ending, END_SIGNALLED);
	assert_int_equal(teardown(state), 0);
}

/* ---- agents that do not come up --------------------------------------------------- */

static void
assert_local(void **state)
{
	struct fixture *f;

	open_chosen(state);
	f = *state;
	assert_int_equal(run_shell(f, 0, "exit 6")->exit_code, 6);
	assert_int_equal(run_shell(f, 1, "exit 7")->exit_code, 7);
	assert_int_equal(told.agains, 0);
	assert_int_equal(told.warnings, 1);
	assert_non_null(strstr(told.warning, "runs all tests: one: "));
	assert_int_equal(teardown(state), 0);
}

/* No agent can be as quick; that of this machine need not be. */
static void
be_hasty(void)
{
	next.silence_ns = next.patience_ns = 1000;
}

static void
no_agent_comes_up(void **state)
{
	static const char *const kinds[] = {"--other", "--rebuilt", "--blind",
		"--elsewhere", "--garbage", "--nothing", "--nonsense"};

	for (size_t i = 0; i < ROWS(kinds); i++) {
		choose(1, "{self}", kinds[i]);
		assert_local(state);
	}
	choose(1, "/nonexistent/launcher", NULL);
	assert_local(state);
	choose(1, "{self}", "--silent");
	be_hasty();
	assert_local(state);
}

static void
local_agent_has_time(void **state)
{
	choose(1, "/nonexistent/launcher", NULL);
	next.has_local = true;
	be_hasty();
	open_chosen(state);
	assert_int_equal(run_shell(*state, 0, "exit 6")->exit_code, 6);
	assert_int_equal(told.agains + told.warnings, 0);
	assert_int_equal(teardown(state), 0);
}

/* An agent that says nothing any more has no result. */
static void
agent_is_mute(void **state)
{
	struct fixture *f;
	const struct outcome *o;

	choose(1, "{self}", "--mute");
	next.silence_ns = 100u * MS;
	open_chosen(state);
	f = *state;
	o = run_shell(f, 0, "exit 0");
	assert_int_equal(o->refusal, REFUSED_NODE);
	assert_string_equal(o->node, "one");
	assert_int_equal(told.agains, 1);
	assert_int_equal(teardown(state), 0);
}

/* The pilot says how its job has ended, after its agent has said goodbye or has ended in
 * the middle of an outcome. */
static void
fates(void **state)
{
	static const struct {
		const char *kind;
		size_t agains;
		const char *why;
	} rows[] = {
		{"--limit", 0, "job 7 has ended: TIMEOUT"},
		{"--cut", 1, "a message does not end where its length says"},
		{"--cancelled", 1, "job 7 has ended: CANCELLED"},
		{"--no-fate", 1, "the agent got signal 15"},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct outcome *o;

		choose(1, "{self}", rows[i].kind);
		next.are_pilots = true;
		open_chosen(state);
		o = run_shell(*state, 0, "exit 0");
		assert_int_equal(o->refusal, REFUSED_NODE);
		assert_string_equal(o->node, "real");
		assert_true(str_is(o->lost, rows[i].why));
		assert_int_equal(told.agains, rows[i].agains);
		assert_int_equal(teardown(state), 0);
	}
}

static void
on_presence(void *context, uint32_t on, enum pool_presence presence)
{
	(void)context, (void)on;
	told.presence = presence;
}

static void
on_place(void *context, uint32_t on, struct str_list gpus)
{
	(void)context, (void)on, (void)gpus;
	told.places++;
}

/* Pilots are examined in each of these turns. */
static bool
on_long_search(void *context, node_id node, const struct outcome *o)
{
	struct fixture *f = context;

	(void)o;
	if (node != 0)
		return true;
	if (!f->searched++)
		told.turns = 0;
	return told.turns > 3;
}

static void
on_judged_end(void *context, node_id node, const struct outcome *o)
{
	struct fixture *f = context;

	on_ended(context, node, o);
	f->engine->type->judged(f->engine, node, STR("test"), true);
}

static void
await_warnings(struct fixture *f, size_t n)
{
	uint64_t until_ns = loop_now_ns() + MINUTE_NS;

	while (told.warnings < n && loop_now_ns() < until_ns)
		f->engine->type->wait(f->engine, until_ns);
	assert_int_equal(told.warnings, n);
}

/* The disk of its node is full. It has the test that runs there to its end, and the
 * verdict on that one, but then its job is given back, and no other one takes its place.
 */
static void
full_pilot(void **state)
{
	struct fixture *f;
	struct launch runs, other;

	choose(1, "{self}", "--full");
	next.are_pilots = true;
	next.idle_ns = 1;
	open_chosen(state);
	f = *state;
	f->engine->listener.presence = on_presence;
	f->engine->listener.place = on_place;
	f->engine->listener.ended = on_judged_end;
	f->engine->listener.search = on_long_search;
	runs = shell_launch(f, "");
	runs.keeps_failed_temporary = true;
	begin(f, 0, &runs);
	other = runs;
	other.temporary_mark = "mark";
	begin(f, 1, &other);
	assert_int_equal(await(f, 1)->refusal, REFUSED_NODE);
	assert_string_equal(told.warning,
		"node real: it gets no more tests: no space left on device");
	assert_int_equal(f->ended[0].count, 0);
	f->engine->type->set_limit(f->engine, 0, 0, false);
	for (; !f->ended[0].count; told.turns++)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	assert_int_equal(f->ended[0].o.exit_code, 3);
	await_warnings(f, 2);
	assert_string_equal(told.warning, "node real: goodbye");
	while (f->engine->type->wait(f->engine, loop_now_ns() + MS),
		told.presence == POOL_NODE_HERE)
		continue;
	assert_int_equal(told.presence, POOL_NODE_GONE);
	assert_int_equal(run_shell(f, 2, "")->refusal, REFUSED_NODE);
	assert_int_equal(told.places, 1);
	assert_int_equal(teardown(state), 0);
}

/* Only how long ago the test was started counts, not the clock of its node. */
static void
clock_is_wrong(void **state)
{
	const struct outcome *o;
	int64_t ago_us;

	choose(1, "{self}", "--started-an-hour-ago");
	open_chosen(state);
	o = run_shell(*state, 0, "exit 0");
	ago_us = loop_wall_us() - o->started_us;
	assert_int_equal(o->ending, END_EXITED);
	assert_true(ago_us >= HOUR_US && ago_us < HOUR_US + 60 * (int64_t)1000000);
	assert_true(o->duration_ns == 5);
	assert_int_equal(teardown(state), 0);
}

/* An outcome for a test that the agent does not run counts for none. */
static void
agent_lies(void **state)
{
	struct fixture *f;

	choose(1, "{self}", "--lies");
	open_chosen(state);
	f = *state;
	assert_int_equal(run_shell(f, 0, "exit 0")->refusal, REFUSED_NODE);
	assert_int_equal(teardown(state), 0);
}

/* Where the caller starts lost tests again, the engine does not. */
static void
given_back(void **state)
{
	struct fixture *f;
	struct launch l;

	choose(2, "{agent}", NULL);
	open_chosen(state);
	f = *state;
	l = shell_launch(f, "kill -9 $PPID; exit 0");
	l.is_given_back = true;
	begin(f, 0, &l);
	while (!told.losses)
		f->engine->type->wait(f->engine, loop_now_ns() + MINUTE_NS);
	assert_int_equal(f->ended[0].count, 0);
	assert_int_equal(run_shell(f, 0, "exit 3")->exit_code, 3);
	assert_int_equal(teardown(state), 0);
}

/* ---- tests with several whole nodes ---------------------------------------------- */

static void
count_here(void *context, uint32_t on, enum pool_presence presence)
{
	(void)context, (void)on;
	told.here += presence == POOL_NODE_HERE;
}

/* What the other node has said before the outcome, and what comes after it, is no sign
 * that the node lived when the test ended: it has crashed since. */
static void
assert_stale(void **state, bool has_local)
{
	static const uint32_t both[] = {0, 1};
	struct fixture *f;
	struct launch l;

	choose(2, "{self}", "--stale");
	next.has_local = has_local;
	open_chosen(state);
	f = *state;
	f->engine->listener.presence = count_here;
	while (told.here < 2)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	l = shell_launch(f, "exit 3");
	l.on_node = 1;
	l.whole_nodes = both;
	l.whole_nodes_n = 2;
	begin(f, 0, &l);
	while (!told.losses && !f->ended[0].count)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	assert_int_equal(f->ended[0].count, 0);
	assert_string_equal(told.lost, "two");
	assert_int_equal(teardown(state), 0);
}

/* Also where the node of the test is this machine. */
static void
stale_sign_of_life(void **state)
{
	assert_stale(state, false);
	assert_stale(state, true);
}

/* ---- the PMIx server of a node --------------------------------------------------- */

static void
node_lacks_pmix(void **state)
{
	struct fixture *f;
	struct launch l;

	choose(1, "{self}", "--lacks");
	open_chosen(state);
	f = *state;
	l = shell_launch(f, "exit 0");
	l.pmix_ranks = 7;
	begin(f, 0, &l);
	while (!*told.refused)
		f->engine->type->wait(f->engine, loop_now_ns() + MINUTE_NS);
	assert_string_equal(told.refused, "node one: there is none");
	assert_int_equal(f->ended[0].count, 0);
	assert_int_equal(teardown(state), 0);
}

static void
on_question(void *context, node_id node, uint64_t talk, struct str text)
{
	const struct fixture *f = context;

	if (!text.n)
		return;
	assert_int_equal(node, 0);
	assert_int_equal((uint32_t)talk, TALK_PMIX + 5);
	snprintf(told.asked, sizeof told.asked, "%.*s", STR_ARG(text));
	f->engine->type->tell(f->engine, talk, STR("1 yes\n"));
}

/* The question comes with its test, and the answer goes to the server that has asked. */
static void
question_of_a_node(void **state)
{
	struct fixture *f;

	choose(1, "{self}", "--asks");
	open_chosen(state);
	f = *state;
	f->engine->listener.talk = on_question;
	assert_string_equal(run_shell(f, 0, "exit 0")->output.p, "1 yes\n");
	assert_string_equal(told.asked, "1 more\n");
	assert_int_equal(teardown(state), 0);
}

/* ---- false agents ---------------------------------------------------------------- */

static void
put(const struct message *m)
{
	struct arena *a = arena_open();
	struct buf b = {.arena = a};

	message_write(&b, m);
	if (write(STDOUT_FILENO, b.p, b.n) != (ssize_t)b.n)
		_exit(1);
	arena_close(a);
}

/* The next message from cctr. */
static struct message
get(struct arena *a)
{
	static struct buf in;
	struct message m = {0};
	struct str bytes = STR_NONE;
	const char *why;
	char c;

	in.arena = a;
	while (message_read(a, &bytes, &m, &why) != MESSAGE_WHOLE) {
		if (read(STDIN_FILENO, &c, 1) != 1)
			_exit(0);
		buf_char(&in, c);
		bytes = buf_as_str(&in);
	}
	in.n = 0;
	return m;
}

/* An agent that sees another file in the place of the witness. */
static void
greet(struct arena *a, const char *witness)
{
	(void)get(a);
	put(&(struct message){.kind = MESSAGE_HELLO,
		.hello = {.protocol = MESSAGE_PROTOCOL,
			.program = VERSION,
			.host = "host",
			.processors = 1,
			.witness = str_of(witness)}});
}

static void
say_hello(struct arena *a, bool is_blind)
{
	struct message greeting = get(a);
	struct message m = {.kind = MESSAGE_HELLO,
		.hello = {.protocol = MESSAGE_PROTOCOL,
			.program = VERSION,
			.host = "host",
			.processors = 1,
			.witness_error = is_blind ? ENOENT : 0}};

	if (!is_blind && !file_read(a, greeting.greeting.witness, &m.hello.witness))
		_exit(1);
	put(&m);
}

static void
put_fate(struct arena *a, const char *text, bool is_limit)
{
	struct buf b = {.arena = a};

	buf_z(&b, text);
	while (b.n < MESSAGE_FATE_LEAST)
		buf_char(&b, ' ');
	put(&(struct message){
		.kind = MESSAGE_FATE, .text = buf_as_str(&b), .is_limit = is_limit});
}

/* A pilot whose agent is lost with its first test. */
static void
pretend_pilot(struct arena *a, const char *kind)
{
	static const char outcome[] = {0, 0, 0, 70, MESSAGE_OUTCOME, 0, 0, 0, 0};

	put(&(struct message){.kind = MESSAGE_PLACE, .text = STR("real")});
	say_hello(a, false);
	(void)get(a);
	if (strcmp(kind, "--cut") != 0)
		put(&(struct message){
			.kind = MESSAGE_GOODBYE, .text = STR("the agent got signal 15")});
	else if (write(STDOUT_FILENO, outcome, sizeof outcome) != sizeof outcome)
		_exit(1);
	if (strcmp(kind, "--cancelled") == 0)
		put_fate(a, "job 7 has ended: CANCELLED", false);
	else if (strcmp(kind, "--no-fate") == 0)
		put_fate(a, "", false);
	else
		put_fate(a, "job 7 has ended: TIMEOUT", true);
}

/* The next message that is no heartbeat. */
static struct message
get_order(struct arena *a)
{
	struct message m;

	do
		m = get(a);
	while (m.kind == MESSAGE_HEARTBEAT);
	return m;
}

/* The first test runs until its limit, the second one finds no room. */
static void
pretend_full(struct arena *a)
{
	struct message m;
	int first;

	put(&(struct message){.kind = MESSAGE_PLACE, .text = STR("real")});
	say_hello(a, false);
	first = get_order(a).task;
	put(&(struct message){
		.kind = MESSAGE_NOT_STARTED, .task = get_order(a).task, .error = ENOSPC});
	m = get_order(a);
	if (m.kind != MESSAGE_LIMIT)
		_exit(1);
	put(&(struct message){.kind = MESSAGE_OUTCOME,
		.task = first,
		.outcome = {.ending = END_EXITED, .exit_code = 3}});
	m = get_order(a);
	if (m.kind != MESSAGE_VERDICT || !m.is_failed)
		_exit(1);
	m = get_order(a);
	if (m.kind == MESSAGE_GOODBYE)
		put(&(struct message){.kind = MESSAGE_WARNING, .text = STR("goodbye")});
	_exit(0);
}

/* Of a node without a server. */
static void
lack_pmix(struct arena *a)
{
	struct message m;

	say_hello(a, false);
	m = get(a);
	if (m.launch.pmix_ranks == 7)
		put(&(struct message){.kind = MESSAGE_NOT_STARTED,
			.task = m.task,
			.text = STR("there is none")});
}

/* Of a node whose server passes on a question; the test writes the answer. */
static void
ask_by_pmix(struct arena *a)
{
	struct message m, answer;
	int task;

	say_hello(a, false);
	task = get(a).task;
	put(&(struct message){.kind = MESSAGE_TALK,
		.task = task,
		.talk = TALK_PMIX + 5,
		.text = STR("1 more\n")});
	do
		answer = get(a);
	while (answer.kind != MESSAGE_TALK);
	if (answer.talk != TALK_PMIX + 5)
		_exit(1);
	m = (struct message){.kind = MESSAGE_OUTPUT, .task = task, .text = answer.text};
	put(&m);
	put(&(struct message){.kind = MESSAGE_OUTCOME,
		.task = task,
		.outcome = {.ending = END_EXITED}});
}

/* The node of the test says that the test has failed. The other one says what it would
 * have said before, and crashes. */
static void
say_stale(struct arena *a)
{
	struct message m;

	say_hello(a, false);
	do
		m = get(a);
	while (m.kind == MESSAGE_HEARTBEAT && !m.beat);
	if (m.kind == MESSAGE_HEARTBEAT) {
		put(&(struct message){.kind = MESSAGE_HEARTBEAT});
		_exit(1);
	}
	put(&(struct message){.kind = MESSAGE_OUTCOME,
		.task = m.task,
		.outcome = {.ending = END_EXITED, .exit_code = 3}});
}

/* Returns when cctr has closed the connection. */
static int
pretend(const char *kind)
{
	struct arena *a = arena_open();

	if (strcmp(kind, "--garbage") == 0)
		puts("Welcome to this node!");
	else if (strcmp(kind, "--nonsense") == 0)
		put(&(struct message){
			.kind = MESSAGE_OUTCOME, .outcome = {.ending = END_EXITED}});
	else if (strcmp(kind, "--blind") == 0)
		say_hello(a, true);
	else if (strcmp(kind, "--elsewhere") == 0)
		greet(a, "another tree");
	else if (strcmp(kind, "--mute") == 0 || strcmp(kind, "--lies") == 0 ||
		 strcmp(kind, "--started-an-hour-ago") == 0)
		say_hello(a, false);
	else if (strcmp(kind, "--limit") == 0 || strcmp(kind, "--cut") == 0 ||
		 strcmp(kind, "--cancelled") == 0 || strcmp(kind, "--no-fate") == 0)
		pretend_pilot(a, kind);
	else if (strcmp(kind, "--full") == 0)
		pretend_full(a);
	else if (strcmp(kind, "--lacks") == 0)
		lack_pmix(a);
	else if (strcmp(kind, "--asks") == 0)
		ask_by_pmix(a);
	else if (strcmp(kind, "--stale") == 0)
		say_stale(a);
	fflush(stdout);
	if (strcmp(kind, "--started-an-hour-ago") == 0)
		put(&(struct message){.kind = MESSAGE_OUTCOME,
			.task = get(a).task,
			.age_us = HOUR_US,
			.outcome = {.ending = END_EXITED, .duration_ns = 5}});
	if (strcmp(kind, "--lies") == 0) {
		struct message m = get(a);

		put(&(struct message){.kind = MESSAGE_OUTCOME,
			.task = m.task + 1,
			.outcome = {.ending = END_EXITED}});
	}
	while (strcmp(kind, "--nothing") != 0)
		(void)get(a);
	return 0;
}

static int
run_agent(const char *version)
{
	struct arena *a = arena_open();
	int code = agent_run(a, version);

	arena_close(a);
	return code;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ENGINE_ROWS,
		cmocka_unit_test(agent_killed_once),
		cmocka_unit_test(agent_killed_twice),
		cmocka_unit_test(agent_ends_by_signal),
		cmocka_unit_test(killed_with_its_agent),
		cmocka_unit_test(killed_alone),
		cmocka_unit_test(killed_by_cctr),
		cmocka_unit_test(interrupted_while_in_doubt),
		cmocka_unit_test(no_agent_comes_up),
		cmocka_unit_test(local_agent_has_time),
		cmocka_unit_test(agent_is_mute),
		cmocka_unit_test(agent_lies),
		cmocka_unit_test(fates),
		cmocka_unit_test(full_pilot),
		cmocka_unit_test(clock_is_wrong),
		cmocka_unit_test(given_back),
		cmocka_unit_test(stale_sign_of_life),
		cmocka_unit_test(node_lacks_pmix),
		cmocka_unit_test(question_of_a_node),
	};

	if (helper_is_wanted())
		return helper_main(argc, argv);
	if (argc == 2 && strcmp(argv[1], AGENT_WORD) == 0)
		return run_agent(VERSION);
	if (argc == 2 && strcmp(argv[1], "--other") == 0)
		return run_agent("2");
	if (argc == 2 && strcmp(argv[1], "--rebuilt") == 0)
		return run_agent(VERSION " (build 00)");
	if (argc == 2)
		return pretend(argv[1]);
	for (int fd = 3; fd < 1024; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return run_unit_tests("engine_remote", tests, NULL, NULL);
}
