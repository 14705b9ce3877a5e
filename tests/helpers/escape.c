/*
 * A program that makes processes which are hard to find, for tests of what cctr ends.
 *
 *	escape HOW FILE
 *
 * Each process it leaves writes its number on a line of FILE once it is where it should
 * be, then waits for ever. HOW is a letter for each process:
 *
 *	p  the program itself
 *	c  a child
 *	g  a child in a process group of its own
 *	s  a child in a session of its own
 *	d  a daemon: an orphan in a session of its own that has closed all descriptors
 *	i  a daemon that ignores every signal that can be ignored
 *	k  a daemon that goes on in a new process 50 times a second
 *
 * Without p the program exits with 0 when all have written their numbers.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *file;

static void
write_number(void)
{
	char line[32];
	int n = snprintf(line, sizeof line, "%d\n", (int)getpid());
	int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0666);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		_exit(99);
	close(fd);
}

static void
close_all(void)
{
	for (int fd = 0; fd < 256; fd++)
		close(fd);
}

static void
ignore_all(void)
{
	for (int number = 1; number < 65; number++)
		signal(number, SIG_IGN);
}

/* Each process lives for a fiftieth of a second and leaves a child. */
static void
hop(void)
{
	struct timespec pause = {.tv_nsec = 20000000};

	for (;;) {
		nanosleep(&pause, NULL);
		if (fork() != 0)
			_exit(0);
	}
}

static void
be(char how)
{
	if (how == 'g')
		setpgid(0, 0);
	if (how == 's')
		setsid();
	if (strchr("dik", how)) {
		setsid();
		if (fork() != 0)
			_exit(0);
		close_all();
	}
	if (how == 'i')
		ignore_all();
	write_number();
	if (how == 'k')
		hop();
	for (;;)
		pause();
}

static int
lines_of_file(void)
{
	char text[65536];
	int fd = open(file, O_RDONLY), n = 0;
	ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text);

	for (ssize_t i = 0; i < got; i++)
		n += text[i] == '\n';
	close(fd);
	return n;
}

int
main(int argc, char **argv)
{
	int wanted = 0;
	int stays = 0;
	struct timespec pause = {.tv_nsec = 1000000};

	if (argc != 3)
		return 2;
	file = argv[2];
	for (const char *how = argv[1]; *how; how++) {
		if (*how == 'p') {
			stays = 1;
			continue;
		}
		wanted++;
		if (fork() == 0)
			be(*how);
	}
	while (lines_of_file() < wanted)
		nanosleep(&pause, NULL);
	if (stays)
		be('p');
	return 0;
}
