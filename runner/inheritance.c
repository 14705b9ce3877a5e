/* Streams and signals at the start. See inheritance.h. */
#include "runner/inheritance.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* The lowest number that is free is taken. */
static void
mend_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Where it is ignored nobody can wait for a child; where it is blocked nobody wakes. */
static void
mend_children(void)
{
	struct sigaction sa = {.sa_handler = SIG_DFL};
	sigset_t children;

	sigaction(SIGCHLD, &sa, NULL);
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &children, NULL);
}

void
inheritance_mend(void)
{
	mend_streams();
	mend_children();
}
