/* Streams and signals at the start. See inheritance.h. */
#include "runner/base/inheritance.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* open() takes the lowest free number, so that /dev/null fills the gaps. */
static bool
mend_streams(void)
{
	bool had_output = true;
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		had_output = had_output && fd != STDOUT_FILENO;
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return had_output;
}

/* Where SIGCHLD is ignored, no one can wait for a child; where it is blocked, no signal
 * wakes the loop. */
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

static void
do_nothing(int signal)
{
	(void)signal;
}

/* Unlike SIG_IGN, a handler is not inherited by the programs that we start. */
static void
mend_writing(void)
{
	static const int signals[] = {SIGPIPE, SIGXFSZ};
	struct sigaction before, sa = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &before) == 0 &&
			before.sa_handler == SIG_DFL)
			sigaction(signals[i], &sa, NULL);
}

bool
inheritance_mend(void)
{
	bool had_output = mend_streams();

	mend_children();
	mend_writing();
	return had_output;
}
