/*
 * Texts with passwords in them: whatever stands around it, a password that is where one
 * belongs is not shown, and what was masked once has nothing more to mask.
 */
#include "compat/format/secrets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_text(
	struct arena *a, struct str text, struct str (*shown)(struct arena *, struct str))
{
	struct str once = shown(a, text);

	/* What looks masked already is masked to the same. */
	INVARIANT(once.p == text.p || !str_eq(once, text) || str_has(text, STR("***")));
}

/* All of it is the secret. */
static void
check_values(struct arena *a, struct str text)
{
	struct str value = str_fmt(a, "TOKEN=%.*s", STR_ARG(text));
	struct str words[] = {STR("--password"), text};
	struct str_list l = {words, 2};

	/* What is formatted ends at a NUL. */
	if (!text.n || str_find(text, '\0') < text.n)
		return;
	INVARIANT(str_is(secrets_masked_word(a, value), "TOKEN=***"));
	INVARIANT(str_is(secrets_masked_value(a, STR("MY_TOKEN"), text), "***"));
	INVARIANT(str_is(secrets_masked_words(a, l).v[1], "***"));
}

/* A password of a URL may have all but what ends it. */
static void
check_url(struct arena *a, struct str text)
{
	struct str url = str_fmt(a, "http://me:%.*s@host/x", STR_ARG(text));

	for (size_t i = 0; i < text.n; i++)
		if (strchr(" \t\r\n\"'<>/?#:=;@", text.p[i]))
			return;
	if (!text.n)
		return;
	INVARIANT(str_is(secrets_masked_word(a, url), "http://me:***@host/x"));
	INVARIANT(str_is(secrets_masked(a, url), "http://me:***@host/x"));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_cut((const char *)data, size);

	check_text(a, text, secrets_masked);
	check_text(a, text, secrets_masked_word);
	check_values(a, text);
	check_url(a, text);
	arena_close(a);
	return 0;
}
