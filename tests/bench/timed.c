/*
 * Runs a program and says what it took: seconds, processor seconds (with its children),
 * peak kilobytes, exit status; one line on descriptor 3.
 *
 *   timed PROGRAM [ARGUMENTS] 3>figures
 *
 * It is small on purpose: Linux counts the memory of whoever starts a program to the
 * program's peak.
 */
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	struct rusage usage;
	double begin = now();
	pid_t pid;
	int status;

	if (argc < 2 || posix_spawnp(&pid, argv[1], NULL, NULL, argv + 1, environ) != 0) {
		fputs("timed: cannot start the program\n", stderr);
		return 2;
	}
	if (wait4(pid, &status, 0, &usage) < 0)
		return 2;
	dprintf(3, "%.6f %.6f %ld %d\n", now() - begin,
		seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
