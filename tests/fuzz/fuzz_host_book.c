/* The file that the runs of a machine share. What is read is written and read as the
 * same. */
#include "runner/host/host_book.h"
#include "tests/unit/host_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is a text as it is in the file; and one whose head is right. */
static void
read_text(struct arena *a, struct str text)
{
	struct host_book book, back;
	struct buf once = {.arena = a}, twice = {.arena = a};

	if (!host_book_read(a, text, &book)) {
		INVARIANT(!book.owners.n);
		return;
	}
	INVARIANT(host_book_write(&once, &book));
	INVARIANT(host_book_read(a, buf_as_str(&once), &back));
	INVARIANT(host_book_write(&twice, &back));
	INVARIANT(str_eq(buf_as_str(&once), buf_as_str(&twice)));
	for (size_t i = 0; i < book.owners.n; i++)
		INVARIANT(host_book_next_ticket(&book) > book.owners.v[i].ticket);
	while (book.owners.n)
		host_book_drop(&book, &book.owners.v[0]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_dup(a, str_cut((const char *)data, size));
	struct buf whole = host_text(a, text);

	read_text(a, text);
	read_text(a, buf_as_str(&whole));
	arena_close(a);
	return 0;
}
