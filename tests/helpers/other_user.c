/*
 * A program that becomes root for good, ignores all signals and stays, for tests of what
 * cctr may not end; it has to be setuid root.
 *
 *	other_user FILE
 *
 * Writes its number into FILE first.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;

	if (!file || setgid(0) != 0 || setuid(0) != 0)
		return 2;
	for (int number = 1; number < 65; number++)
		signal(number, SIG_IGN);
	fprintf(file, "%d\n", (int)getpid());
	fclose(file);
	for (;;)
		pause();
}
