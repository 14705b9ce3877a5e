/* The build id is a note that the linker makes of all that it links. See
 * program_build.h. */
#include "runner/process/program_build.h"

#include <link.h>
#include <sys/stat.h>

enum {
	ID_SHOWN = 8, /* bytes: enough to tell two builds apart */
	NAME_ALIGN = 4
};

struct search {
	struct arena *arena;
	struct str id; /* as hexadecimal digits */
};

static size_t
align_up(size_t n)
{
	return (n + NAME_ALIGN - 1) / NAME_ALIGN * NAME_ALIGN;
}

static struct str
write_digits(struct arena *a, const unsigned char *id, size_t n)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < n && i < ID_SHOWN; i++)
		buf_fmt(&b, "%02x", id[i]);
	return buf_as_str(&b);
}

static void
read_notes(struct search *s, const unsigned char *p, size_t n)
{
	ElfW(Nhdr) head;

	while (n >= sizeof head) {
		size_t name, all;

		memcpy(&head, p, sizeof head);
		name = align_up(head.n_namesz);
		all = sizeof head + name + align_up(head.n_descsz);
		if (all > n)
			return;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof "GNU" &&
			memcmp(p + sizeof head, "GNU", sizeof "GNU") == 0)
			s->id = write_digits(
				s->arena, p + sizeof head + name, head.n_descsz);
		p += all;
		n -= all;
	}
}

/* The first object is the program. */
static int
search_program(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_NOTE)
			read_notes(context,
				(const unsigned char *)(info->dlpi_addr + h->p_vaddr),
				h->p_memsz);
	}
	return 1;
}

const char *
program_build(struct arena *a, const char *version)
{
	struct search s = {.arena = a, .id = STR("")};

	dl_iterate_phdr(search_program, &s);
	return s.id.n ? str_fmt(a, "%s (build %.*s)", version, STR_ARG(s.id)).p : version;
}

bool
program_is_replaced(const char *path)
{
	struct stat running, there;

	if (stat(PROGRAM_RUNNING, &running) != 0)
		return false;
	return stat(path, &there) != 0 || there.st_ino != running.st_ino ||
	       there.st_dev != running.st_dev;
}
