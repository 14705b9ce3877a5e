/*
 * The floor for a test runner: start N times a program, W of them at a time, and wait.
 *
 *   spawn_loop [-p] N W PROGRAM
 *
 * posix_spawn and waitpid, nothing else; with -p each child's output also goes through a
 * pipe that is read to its end, as a runner that captures output must do.
 */
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WIDEST = 256 };

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Starts the program with its output on descriptor out (-1: where ours goes). */
static pid_t
start(const char *program, int out)
{
	char *argv[] = {(char *)program, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	if (out >= 0) {
		posix_spawn_file_actions_adddup2(&actions, out, 1);
		posix_spawn_file_actions_adddup2(&actions, out, 2);
	}
	if (posix_spawn(&pid, program, &actions, NULL, argv, environ) != 0)
		fail(program);
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static void
run_bare(long n, long width, const char *program)
{
	long running = 0;

	while (n > 0 || running > 0) {
		while (n > 0 && running < width) {
			start(program, -1);
			running++;
			n--;
		}
		if (wait(NULL) < 0)
			fail("wait");
		running--;
	}
}

struct slot {
	pid_t pid;
	int in;
};

static void
fill(struct slot *slot, const char *program)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		fail("pipe2");
	slot->pid = start(program, ends[1]);
	slot->in = ends[0];
	close(ends[1]);
}

/* Reads what is there; at the end of the output waits for the child. */
static int
has_ended(struct slot *slot)
{
	char buf[65536];

	if (read(slot->in, buf, sizeof(buf)) > 0)
		return 0;
	close(slot->in);
	if (waitpid(slot->pid, NULL, 0) < 0)
		fail("waitpid");
	return 1;
}

static void
run_with_pipes(long n, long width, const char *program)
{
	struct slot slots[WIDEST];
	struct pollfd ready[WIDEST];
	long running = 0;

	while (n > 0 || running > 0) {
		while (n > 0 && running < width) {
			fill(&slots[running++], program);
			n--;
		}
		for (long i = 0; i < running; i++)
			ready[i] = (struct pollfd){.fd = slots[i].in, .events = POLLIN};
		if (poll(ready, (nfds_t)running, -1) < 0)
			fail("poll");
		for (long i = running; i-- > 0;) {
			if (ready[i].revents && has_ended(&slots[i]))
				slots[i] = slots[--running];
		}
	}
}

int
main(int argc, char **argv)
{
	int piped = argc > 1 && strcmp(argv[1], "-p") == 0;
	long n, width;

	argv += piped;
	argc -= piped;
	if (argc != 4) {
		fputs("usage: spawn_loop [-p] N W PROGRAM\n", stderr);
		return 2;
	}
	n = strtol(argv[1], NULL, 10);
	width = strtol(argv[2], NULL, 10);
	if (width < 1 || width > WIDEST)
		width = 1;
	(piped ? run_with_pipes : run_bare)(n, width, argv[3]);
	return 0;
}
