/*
 * What the tests of the fixed suite run. Each argument is done in its turn:
 *
 *   say TEXT      print the text and a newline
 *   big KIB       print so many KiB of lines
 *   exit N        end with this code; without it the code is 0
 *   abort         end by SIGABRT
 *   wait          wait until a signal ends the program
 *   make FILE     create the file; 1 where that fails
 *   need FILE     end with code 1 unless the file can be read
 *   once FILE     unless the file is there, create it and end with code 1
 *   told NAME     end with code 1 unless the environment variable is set
 *   killer FILE   where the file exists, remove it and send SIGKILL to the parent
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
print_big(long kib)
{
	char line[64];

	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\n';
	for (long i = 0; i < kib * 1024 / (long)sizeof line; i++)
		fwrite(line, 1, sizeof line, stdout);
}

static void
make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		exit(1);
	close(fd);
}

static void
kill_parent(const char *path)
{
	if (access(path, F_OK) != 0)
		return;
	unlink(path);
	kill(getppid(), SIGKILL);
	for (;;)
		pause();
}

static void
act(const char *verb, const char *object)
{
	if (strcmp(verb, "say") == 0)
		puts(object);
	else if (strcmp(verb, "big") == 0)
		print_big(strtol(object, NULL, 10));
	else if (strcmp(verb, "exit") == 0)
		exit((int)strtol(object, NULL, 10));
	else if (strcmp(verb, "make") == 0)
		make_file(object);
	else if (strcmp(verb, "killer") == 0)
		kill_parent(object);
	else if (strcmp(verb, "need") == 0 && access(object, R_OK) != 0)
		exit(1);
	else if (strcmp(verb, "once") == 0 && access(object, F_OK) != 0) {
		make_file(object);
		exit(1);
	} else if (strcmp(verb, "told") == 0 && !getenv(object))
		exit(1);
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		fflush(stdout);
		if (strcmp(argv[i], "abort") == 0)
			abort();
		if (strcmp(argv[i], "wait") == 0)
			for (;;)
				pause();
		if (i + 1 < argc) {
			act(argv[i], argv[i + 1]);
			i++;
		}
	}
	return 0;
}
