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
 *
 * With --gtest_filter=A.one:A.two it behaves as a program of GoogleTest, and with
 * "one,two --reporter xml ... --out FILE" as one of Catch2: each case passes, but one
 * whose name has "fails" in it fails, and at one with "crashes" the program aborts.
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

/* ---- programs with several cases ------------------------------------------------- */

static FILE *
open_report(const char *path)
{
	FILE *f = path ? fopen(path, "w") : NULL;

	return f ? f : fopen("/dev/null", "w");
}

/* Whether the case passes. */
static int
run_case(const char *name)
{
	if (strstr(name, "crashes")) {
		fflush(stdout);
		abort();
	}
	return !strstr(name, "fails");
}

static int
run_google_cases(char *names, const char *path)
{
	FILE *report = open_report(path);
	const char *between = "";
	int code = 0;

	fputs("{\"testsuites\":[", report);
	for (char *suite = strtok(names, "."), *name; suite; suite = strtok(NULL, ".")) {
		int passes;

		name = strtok(NULL, ":");
		printf("[ RUN      ] %s.%s\n", suite, name);
		passes = run_case(name);
		code |= !passes;
		printf("[  %s ] %s.%s (0 ms)\n", passes ? "     OK" : "FAILED ", suite, name);
		fprintf(report,
			"%s{\"name\":\"%s\",\"testsuite\":[{\"name\":\"%s\",\"status\":\"RUN\","
			"\"result\":\"COMPLETED\",\"time\":\"0.001s\"%s}]}",
			between, suite, name, passes ? "" : ",\"failures\":[{}]");
		between = ",";
	}
	fputs("]}\n", report);
	return fclose(report) != 0 || code;
}

static int
run_catch_cases(char *names, const char *path)
{
	FILE *report = open_report(path);
	int code = 0;

	/* A program of Catch2 has the namespace 5Catch2 in it. */
	fputs("<?xml version=\"1.0\"?><Catch name=\"5Catch2\">", report);
	for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		int passes = run_case(name);

		code |= !passes;
		fprintf(report,
			"<TestCase name=\"%s\"><OverallResult success=\"%s\" "
			"durationInSeconds=\"0.001\"/></TestCase>",
			name, passes ? "true" : "false");
	}
	fputs("</Catch>\n", report);
	return fclose(report) != 0 || code;
}

/* The rest of the word that begins so, or the word after it; NULL: there is none. */
static char *
value_of(char **argv, const char *head)
{
	for (size_t n = strlen(head); *argv; argv++)
		if (strncmp(*argv, head, n) == 0)
			return (*argv)[n] ? *argv + n : argv[1];
	return NULL;
}

int
main(int argc, char **argv)
{
	char *names = value_of(argv, "--gtest_filter=");

	if (names)
		return run_google_cases(names, value_of(argv, "--gtest_output=json:"));
	if (argc > 1 && strncmp(argv[1], "case:", 5) == 0)
		return run_catch_cases(argv[1], value_of(argv, "--out"));
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
