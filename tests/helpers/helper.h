/*
 * A program with described behaviour, for tests that need processes: a test program
 * whose environment has CCTR_HELPER is the helper. It does its arguments one by one:
 *
 *	print TEXT      to standard output; \n and \0 are known
 *	complain TEXT   to standard error
 *	fill N          N bytes, in lines of 64
 *	environment     every variable on a line
 *	directory       the working directory
 *	descriptors     every open descriptor on a line
 *	signals         the masks of blocked and ignored signals
 *	close           both outputs
 *	ignore SIGNAL   (a number)
 *	raise SIGNAL
 *	exit CODE
 *	pause           for ever
 *	pid FILE        writes the own process id into the file, at once
 *	await FILE      goes on when the file is there
 *	block FIFO      until someone opens it for writing
 *	child ... ;     a child does what stands before the ";", then exits 0
 *	daemon          goes on in an orphan with a session of its own; the others exit 0
 *
 * At the end of its arguments it exits with 0.
 */
#ifndef CCTR_TESTS_HELPERS_HELPER_H
#define CCTR_TESTS_HELPERS_HELPER_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELPER_ENVIRONMENT "CCTR_HELPER=1"

extern char **environ;

static int
helper_is_wanted(void)
{
	return getenv("CCTR_HELPER") != NULL;
}

static void
helper_write(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t put = write(fd, p, n);

		if (put <= 0)
			_exit(99);
		p += put;
		n -= (size_t)put;
	}
}

static void
helper_print(int fd, const char *text)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '\\' && (text[1] == 'n' || text[1] == '0'))
			c = *++text == 'n' ? '\n' : '\0';
		helper_write(fd, &c, 1);
	}
}

static void
helper_fill(size_t n)
{
	static const char line[] =
		"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ.\n";

	for (; n > 64; n -= 64)
		helper_write(1, line, 64);
	helper_write(1, line + 64 - n, n);
}

static void
helper_list_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d)) {
			helper_write(1, e->d_name, strlen(e->d_name));
			helper_write(1, "\n", 1);
		}
	if (d)
		closedir(d);
}

static void
helper_list_signals(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "SigBlk", 6) == 0 || strncmp(line, "SigIgn", 6) == 0)
			helper_write(1, line, strlen(line));
	if (f)
		fclose(f);
}

static void
helper_put_pid(const char *path)
{
	char temporary[512], text[32];
	int fd, n = snprintf(text, sizeof text, "%d", (int)getpid());

	snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	helper_write(fd, text, (size_t)n);
	close(fd);
	rename(temporary, path);
}

static void
helper_daemon(void)
{
	if (fork() != 0)
		_exit(0);
	setsid();
	if (fork() != 0)
		_exit(0);
}

static void
helper_plain(const char *what)
{
	char here[4096];

	if (strcmp(what, "environment") == 0)
		for (char **e = environ; *e; e++) {
			helper_write(1, *e, strlen(*e));
			helper_write(1, "\n", 1);
		}
	else if (strcmp(what, "directory") == 0 && getcwd(here, sizeof here))
		helper_print(1, here);
	else if (strcmp(what, "descriptors") == 0)
		helper_list_descriptors();
	else if (strcmp(what, "signals") == 0)
		helper_list_signals();
	else if (strcmp(what, "close") == 0)
		close(1), close(2);
	else if (strcmp(what, "daemon") == 0)
		helper_daemon();
	else if (strcmp(what, "pause") == 0)
		for (;;)
			pause();
}

/* Sanitizers catch some. */
static void
helper_raise(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void
helper_with_argument(const char *what, const char *argument)
{
	if (strcmp(what, "print") == 0)
		helper_print(1, argument);
	else if (strcmp(what, "complain") == 0)
		helper_print(2, argument);
	else if (strcmp(what, "fill") == 0)
		helper_fill(strtoull(argument, NULL, 10));
	else if (strcmp(what, "ignore") == 0)
		signal(atoi(argument), SIG_IGN);
	else if (strcmp(what, "raise") == 0)
		helper_raise(atoi(argument));
	else if (strcmp(what, "exit") == 0)
		_exit(atoi(argument));
	else if (strcmp(what, "pid") == 0)
		helper_put_pid(argument);
	else if (strcmp(what, "block") == 0)
		close(open(argument, O_RDONLY | O_CLOEXEC));
	else if (strcmp(what, "await") == 0)
		while (access(argument, F_OK) != 0)
			usleep(1000);
}

static int
helper_takes_argument(const char *what)
{
	static const char *const words[] = {"print", "complain", "fill", "ignore",
		"raise", "exit", "pid", "await", "block"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(what, words[i]) == 0)
			return 1;
	return 0;
}

static int
helper_main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], ";") == 0)
			_exit(0);
		if (strcmp(argv[i], "child") == 0) {
			if (fork() == 0)
				continue;
			while (i < argc && strcmp(argv[i], ";") != 0)
				i++;
		} else if (helper_takes_argument(argv[i]) && i + 1 < argc) {
			helper_with_argument(argv[i], argv[i + 1]);
			i++;
		} else {
			helper_plain(argv[i]);
		}
	}
	return 0;
}

/* The helper itself, for launch.path. */
static const char *
helper_path(void)
{
	static char path[4096];

	if (readlink("/proc/self/exe", path, sizeof path - 1) <= 0)
		abort();
	return path;
}

#endif
