/* See shell_word.h. */
#include "runner/base/shell_word.h"

void
shell_quoted(struct buf *b, struct str word)
{
	buf_char(b, '\'');
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] == '\'')
			buf_z(b, "'\\''");
		else
			buf_char(b, word.p[i]);
	buf_char(b, '\'');
}

/* zsh replaces a word that begins with "=". */
static bool
is_plain(struct str word)
{
	return word.n > 0 && word.p[0] != '=' && str_is_of(word, STR_ALNUM "_@%+=:,./-");
}

void
shell_word(struct buf *b, struct str word)
{
	if (is_plain(word))
		buf_str(b, word);
	else
		shell_quoted(b, word);
}
