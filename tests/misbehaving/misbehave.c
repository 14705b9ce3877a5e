/*
 * A test that misbehaves: misbehave BEHAVIOUR [ARGUMENT...]. The rows of `behaviours` say
 * what there is. Whatever sleeps ends by itself after LONGEST seconds, and nothing forks
 * more than MOST children: a runner that kills nobody leaves nothing for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 40, MOST = 200 };

static void
linger(void)
{
	for (time_t end = time(NULL) + LONGEST; time(NULL) < end;)
		sleep(1);
	_exit(0);
}

static void
fail(const char *what)
{
	perror(what);
	_exit(99);
}

static pid_t
child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

static void
close_all(void)
{
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
}

static int
signal_of(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} known[] = {{"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"KILL", SIGKILL},
		{"TERM", SIGTERM}, {"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"TTIN", SIGTTIN},
		{"TTOU", SIGTTOU}, {"CHLD", SIGCHLD}, {"PIPE", SIGPIPE}, {"ALRM", SIGALRM},
		{"USR1", SIGUSR1}, {"XFSZ", SIGXFSZ}, {"WINCH", SIGWINCH}, {"CONT", SIGCONT}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].number;
	return strcmp(name, "RTMIN") == 0   ? SIGRTMIN
	       : strcmp(name, "RTMAX") == 0 ? SIGRTMAX
					    : atoi(name);
}

/* ---- processes ------------------------------------------------------------------- */

/* Exits; a child in a session of its own goes on with the streams. */
static void
daemon_with_pipe(char **words)
{
	(void)words;
	if (child())
		_exit(0);
	setsid();
	linger();
}

/* The same by two forks, and it has closed everything. */
static void
daemon_closed(char **words)
{
	(void)words;
	if (child())
		_exit(0);
	setsid();
	if (child())
		_exit(0);
	close_all();
	linger();
}

/* Exits; what it leaves writes a line after a second and exits too. */
static void
writes_later(char **words)
{
	(void)words;
	if (child())
		_exit(0);
	sleep(1);
	puts("written later");
}

/* A daemon that has closed everything, and waits beside it. */
static void
daemon_beside(char **words)
{
	(void)words;
	if (child())
		linger();
	setsid();
	close_all();
	linger();
}

/* At SIGTERM it moves to another session and goes on in a child. */
static void
leave_group(int number)
{
	(void)number;
	if (fork() == 0)
		setsid();
}

static void
setsid_at_limit(char **words)
{
	(void)words;
	signal(SIGTERM, leave_group);
	linger();
}

static void
ignores(char **words)
{
	for (; *words; words++)
		signal(signal_of(*words), SIG_IGN);
	linger();
}

/* Exits with success. */
static void
succeeds_ignoring(char **words)
{
	for (; *words; words++)
		signal(signal_of(*words), SIG_IGN);
}

static void
kills_group(char **words)
{
	kill(0, signal_of(words[0]));
}

static void
kills_parent(char **words)
{
	kill(getppid(), signal_of(words[0]));
	sleep(1);
}

static void
kills_parents_group(char **words)
{
	kill(-getpgid(getppid()), signal_of(words[0]));
	sleep(1);
}

static void
kills_itself(char **words)
{
	signal(signal_of(words[0]), SIG_DFL);
	raise(signal_of(words[0]));
	linger();
}

/* A child stops all of the group and exits. */
static void
stops_group(char **words)
{
	(void)words;
	kill(0, SIGSTOP);
	linger();
}

/* Each forks the next and exits at once; the last writes a line. */
static void
fork_chain(char **words)
{
	(void)words;
	for (int i = 0; i < MOST; i++)
		if (child())
			_exit(0);
	puts("end of the chain");
}

/* Children in sessions of their own, each of which waits. */
static void
fork_many(char **words)
{
	(void)words;
	for (int i = 0; i < MOST; i++)
		if (child() == 0) {
			setsid();
			linger();
		}
	linger();
}

/* Its zombies stay until it exits. */
static void
zombies(char **words)
{
	(void)words;
	for (int i = 0; i < MOST; i++)
		if (child() == 0)
			_exit(0);
	sleep(1);
}

static void
becomes(char **words)
{
	execvp(words[0], words);
	fail(words[0]);
}

/* The child of a vfork goes on for a while; the parent cannot be scheduled meanwhile. */
static void
vfork_waits(char **words)
{
	(void)words;
	if (vfork() == 0) {
		for (int i = 0; i < LONGEST; i++)
			sleep(1);
		_exit(0);
	}
	_exit(0);
}

/* Descendants of its own come to it, and it exits before them. */
static void
subreaper(char **words)
{
	(void)words;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (child() == 0) {
		setsid();
		if (child())
			_exit(0);
		setsid();
		linger();
	}
	wait(NULL);
	linger();
}

/* ---- its parent ------------------------------------------------------------------ */

static void
limits_parents_files(char **words)
{
	struct rlimit most = {(rlim_t)atoi(words[0]), (rlim_t)atoi(words[0])};

	if (prlimit(getppid(), RLIMIT_NOFILE, &most, NULL) != 0)
		fail("prlimit");
}

static void
limits_parents_file_size(char **words)
{
	struct rlimit most = {(rlim_t)atoi(words[0]), (rlim_t)atoi(words[0])};

	if (prlimit(getppid(), RLIMIT_FSIZE, &most, NULL) != 0)
		fail("prlimit");
}

static void
slows_parent(char **words)
{
	cpu_set_t first;

	(void)words;
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	setpriority(PRIO_PROCESS, (id_t)getppid(), 19);
	sched_setaffinity(getppid(), sizeof first, &first);
	umask(0777);
	if (nice(19) == -1 && errno)
		fail("nice");
}

/* Traces its parent, which stops, and exits. */
static void
traces_parent(char **words)
{
	(void)words;
	if (ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) != 0)
		fail("ptrace");
	sleep(1);
}

/* ---- descriptors and terminals --------------------------------------------------- */

static void
closes_all(char **words)
{
	close_all();
	if (words[0])
		linger();
}

/* Fills the pipe as far as it goes without waiting; a child holds it. */
static void
fills_pipe(char **words)
{
	char block[4096];

	(void)words;
	memset(block, 'x', sizeof block);
	if (child() == 0)
		linger();
	fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);
	while (write(1, block, sizeof block) > 0)
		continue;
}

static void
tiny_pipe(char **words)
{
	(void)words;
	fcntl(1, F_SETPIPE_SZ, 4096);
	for (int i = 0; i < 20000; i++)
		printf("line %d\n", i);
}

/* Reads what it wrote from its own pipe. */
static void
reads_own_output(char **words)
{
	char text[64];
	int fd = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK);

	(void)words;
	if (fd < 0)
		fail("open");
	if (write(1, "stolen\n", 7) != 7 || read(fd, text, sizeof text) < 0)
		_exit(0); /* the runner was quicker */
}

static void
reads_input(char **words)
{
	char c;

	(void)words;
	if (read(0, &c, 1) != 0)
		_exit(1);
}

static void
reads_terminal(char **words)
{
	char c;
	int fd = open("/dev/tty", O_RDWR);

	(void)words;
	if (fd < 0)
		fail("/dev/tty");
	_exit(read(fd, &c, 1) == 1 ? 0 : 1);
}

/* Makes its own group the terminal's, and lets the terminal stop who else writes. */
static void
takes_terminal(char **words)
{
	struct termios t;
	int fd = open("/dev/tty", O_RDWR);

	(void)words;
	if (fd < 0)
		fail("/dev/tty");
	signal(SIGTTOU, SIG_IGN);
	setpgid(0, 0);
	if (tcgetattr(fd, &t) != 0)
		fail("tcgetattr");
	t.c_lflag |= TOSTOP;
	tcsetattr(fd, TCSANOW, &t);
	if (tcsetpgrp(fd, getpgrp()) != 0)
		fail("tcsetpgrp");
}

static void
makes_terminal_raw(char **words)
{
	struct termios t;
	int fd = open("/dev/tty", O_RDWR);

	(void)words;
	if (fd < 0 || tcgetattr(fd, &t) != 0)
		fail("/dev/tty");
	signal(SIGTTOU, SIG_IGN);
	cfmakeraw(&t);
	tcsetattr(fd, TCSANOW, &t);
}

/* ---- output ---------------------------------------------------------------------- */

/* MIB: so many MiB of one line. */
static void
one_line(char **words)
{
	static char block[1 << 20];

	memset(block, 'x', sizeof block);
	for (int i = atoi(words[0]); i > 0; i--)
		for (size_t at = 0; at < sizeof block;) {
			ssize_t n = write(1, block + at, sizeof block - at);

			if (n < 0)
				fail("write");
			at += (size_t)n;
		}
}

/* Every byte, and every pair of one above 0x7f with another. */
static void
all_bytes(char **words)
{
	(void)words;
	for (int i = 0; i < 256; i++)
		putchar(i);
	for (int i = 0x80; i < 256; i++)
		for (int k = 0; k < 256; k += 3)
			printf("%c%c|", i, k);
	printf("\xed\xa0\x80 \xef\xbf\xbe \xf4\x90\x80\x80 \xc0\x80 ]]> <![CDATA[ &amp; &#0; "
	       "\x1b[31m\x1b]0;title\x07\x1b[2J\x9b");
}

/* N measurements with names of their own. */
static void
measures(char **words)
{
	for (int i = atoi(words[0]); i > 0; i--)
		printf("<CTestMeasurement type=\"numeric/double\" name=\"m%d\">%d"
		       "</CTestMeasurement>\n",
			i, i);
}

/* ---- the table ------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*act)(char **words);
} behaviours[] = {
	{"all_bytes", all_bytes},
	{"becomes", becomes},
	{"closes_all", closes_all},
	{"daemon_beside", daemon_beside},
	{"daemon_closed", daemon_closed},
	{"daemon_with_pipe", daemon_with_pipe},
	{"fills_pipe", fills_pipe},
	{"fork_chain", fork_chain},
	{"fork_many", fork_many},
	{"ignores", ignores},
	{"kills_group", kills_group},
	{"kills_itself", kills_itself},
	{"kills_parent", kills_parent},
	{"kills_parents_group", kills_parents_group},
	{"limits_parents_file_size", limits_parents_file_size},
	{"limits_parents_files", limits_parents_files},
	{"makes_terminal_raw", makes_terminal_raw},
	{"measures", measures},
	{"one_line", one_line},
	{"reads_input", reads_input},
	{"reads_own_output", reads_own_output},
	{"reads_terminal", reads_terminal},
	{"setsid_at_limit", setsid_at_limit},
	{"slows_parent", slows_parent},
	{"stops_group", stops_group},
	{"subreaper", subreaper},
	{"succeeds_ignoring", succeeds_ignoring},
	{"takes_terminal", takes_terminal},
	{"tiny_pipe", tiny_pipe},
	{"traces_parent", traces_parent},
	{"vfork_waits", vfork_waits},
	{"writes_later", writes_later},
	{"zombies", zombies},
};

int
main(int n, char **words)
{
	for (size_t i = 0; n > 1 && i < sizeof behaviours / sizeof *behaviours; i++)
		if (strcmp(words[1], behaviours[i].name) == 0) {
			behaviours[i].act(words + 2);
			return 0;
		}
	fprintf(stderr, "misbehave: no such behaviour\n");
	return 98;
}
