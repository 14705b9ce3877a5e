/* The one program of all tests: what it does is its first argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
print_environment(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		const char *value = getenv(argv[i]);

		printf("%s=%s\n", argv[i], value ? value : "(unset)");
	}
	return 0;
}

static int
print_directory(void)
{
	char path[4096];

	puts(getcwd(path, sizeof(path)) ? path : "nowhere");
	return 0;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "pass";

	if (strcmp(what, "exit") == 0)
		return argc > 2 ? atoi(argv[2]) : 0;
	if (strcmp(what, "abort") == 0)
		abort();
	if (strcmp(what, "hang") == 0)
		pause();
	if (strcmp(what, "env") == 0)
		return print_environment(argc, argv);
	if (strcmp(what, "cwd") == 0)
		return print_directory();
	for (int i = 2; i < argc; i++)
		printf("[%s]\n", argv[i]);
	return 0;
}
