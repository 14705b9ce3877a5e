/*
 * Stock ctest behind a program with one fault, for a test of the suite itself: as the
 * subject under valgrind it must be found out, though nothing of what it prints differs.
 * FAULT: leak, read, write, uninitialised, child (before it becomes another program),
 * killed (no summary), gone (becomes another program itself), none.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile char sink;

static void
make(const char *fault, volatile char *ten_bytes)
{
	if (strcmp(fault, "leak") == 0)
		sink = *(volatile char *)calloc(10, 1);
	else if (strcmp(fault, "read") == 0)
		sink = ten_bytes[10];
	else if (strcmp(fault, "write") == 0)
		ten_bytes[10] = 1;
	else if (strcmp(fault, "uninitialised") == 0 && ten_bytes[3])
		sink = 1;
}

int
main(int argc, char **argv)
{
	const char *oracle = getenv("CCTR_ORACLE");
	const char *fault = getenv("FAULT");
	char *ten_bytes = malloc(10);
	int status = 0;
	pid_t child;

	(void)argc;
	argv[0] = (char *)(oracle ? oracle : "/usr/bin/ctest");
	fault = fault ? fault : "none";
	make(fault, ten_bytes);
	if (strcmp(fault, "gone") == 0)
		execv(argv[0], argv);
	child = fork();
	if (child == 0) {
		if (strcmp(fault, "child") == 0)
			make("read", ten_bytes);
		execv(argv[0], argv);
		_exit(127);
	}
	free(ten_bytes);
	waitpid(child, &status, 0);
	if (strcmp(fault, "killed") == 0)
		raise(SIGKILL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
