/* Base64, zlib, and a tar archive of one file. See encode.h. */
#include "compat/format/encode.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif
#include <zlib.h>

#include "runner/base/files.h"

/* ---- base64 ---------------------------------------------------------------------- */

static void
add_character(struct buf *out, char c, size_t *n, bool lines)
{
	buf_char(out, c);
	if (lines && *n && *n % 60 == 0)
		buf_char(out, '\n');
	++*n;
}

static void
add_group(struct buf *out, const unsigned char *p, size_t left, size_t *n, bool lines)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned b0 = left > 0 ? p[0] : 0, b1 = left > 1 ? p[1] : 0;
	unsigned b2 = left > 2 ? p[2] : 0;

	add_character(out, left > 0 ? digits[b0 >> 2] : '=', n, lines);
	add_character(out, left > 0 ? digits[(b0 << 4 | b1 >> 4) & 63] : '=', n, lines);
	add_character(out, left > 1 ? digits[(b1 << 2 | b2 >> 6) & 63] : '=', n, lines);
	add_character(out, left > 2 ? digits[b2 & 63] : '=', n, lines);
}

void
encode_base64(struct buf *out, struct str bytes, bool lines)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	size_t n = 0, at = 0;

	buf_reserve(out, bytes.n / 3 * 4 + bytes.n / 45 + 9);
	for (; bytes.n - at > 2; at += 3)
		add_group(out, p + at, 3, &n, lines);
	add_group(out, p + at, bytes.n - at, &n, lines);
}

void
encode_base64_long(struct spool *out, const struct long_text *bytes)
{
	enum { STEP = 3 << 16 };
	const unsigned char *p = (const unsigned char *)bytes->s.p;
	struct buf text = {.arena = out->arena};
	size_t n = 0, at = 0;

	INVARIANT(out && bytes);
	for (; bytes->s.n - at > STEP; at += STEP) {
		for (size_t i = 0; i < STEP; i += 3)
			add_group(&text, p + at + i, 3, &n, false);
		spool_add(out, buf_as_str(&text));
		text.n = 0;
		long_text_let_go(bytes, at, at + STEP);
	}
	encode_base64(&text, str_from(bytes->s, at), false);
	spool_add(out, buf_as_str(&text));
}

/* ---- zlib ------------------------------------------------------------------------ */

/* The stream must see all of the text at once, to give the same bytes as ctest. Its
 * output buffer is small, so that it does not read far before input can be freed. */
static bool
compress_with(struct spool *out, const struct long_text *text, int window)
{
	enum { ROOM = 4096 };
	z_stream z = {0};
	char room[ROOM];
	size_t at = 0, read = 0;
	int status = deflateInit2(
		&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);

	if (status == Z_MEM_ERROR)
		memory_end();
	if (status != Z_OK)
		return false;
	while (status == Z_OK) {
		size_t left = text->s.n - at;

		z.next_in = (Bytef *)drop_const(text->s.p) + at;
		z.avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
		z.next_out = (Bytef *)room;
		z.avail_out = ROOM;
		status = deflate(&z, left > UINT_MAX ? Z_NO_FLUSH : Z_FINISH);
		at = (size_t)((const char *)z.next_in - text->s.p);
		read = long_text_pass(text, read, at);
		spool_add(out, str_cut(room, ROOM - z.avail_out));
	}
	return deflateEnd(&z) == Z_OK && status == Z_STREAM_END;
}

bool
encode_deflate(struct spool *out, const struct long_text *text)
{
	INVARIANT(out && text);
	return compress_with(out, text, 15);
}

/* ---- tar ------------------------------------------------------------------------- */

enum { TAR_BLOCK = 512, TAR_NAME = 100, TAR_OWNER = 32 };
#define TAR_TIME_MOST 077777777777

static void
put_text(char *block, size_t at, size_t most, struct str text)
{
	memcpy(block + at, text.p, text.n < most ? text.n : most);
}

static void
put_octal(char *block, size_t at, int width, const char *end, uint64_t value)
{
	char text[32];
	int n = snprintf(
		text, sizeof text, "%0*llo%s", width, (unsigned long long)value, end);

	memcpy(block + at, text, (size_t)n);
}

/* What eleven digits cannot say becomes the nearest time that they can. */
static uint64_t
tar_time(time_t seconds)
{
	uint64_t time = seconds > 0 ? (uint64_t)seconds : 0;

	return time < TAR_TIME_MOST ? time : TAR_TIME_MOST;
}

static void
put_checksum(char *block)
{
	unsigned sum = 0;

	memset(block + 148, ' ', 8);
	for (int i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)block[i];
	put_octal(block, 148, 6, "", sum);
	block[154] = '\0';
}

static char
type_flag(mode_t mode)
{
	return S_ISCHR(mode) ? '3' : S_ISBLK(mode) ? '4' : S_ISFIFO(mode) ? '6' : '0';
}

static void
add_header(struct buf *out, struct str name, const struct stat *s)
{
	bool is_device = S_ISCHR(s->st_mode) || S_ISBLK(s->st_mode);
	char block[TAR_BLOCK] = {0};
	const struct passwd *user = getpwuid(s->st_uid);
	const struct group *group = getgrgid(s->st_gid);

	put_text(block, 0, TAR_NAME, name);
	put_octal(block, 100, 6, " ", s->st_mode & 07777);
	put_octal(block, 108, 6, " ", s->st_uid & 0777777);
	put_octal(block, 116, 6, " ", s->st_gid & 0777777);
	put_octal(block, 124, 11, " ", (uint64_t)s->st_size);
	put_octal(block, 136, 11, " ", tar_time(s->st_mtime));
	block[156] = type_flag(s->st_mode);
	memcpy(block + 257, "ustar\00000", 8);
	put_text(block, 265, TAR_OWNER, user ? str_of(user->pw_name) : STR(""));
	put_text(block, 297, TAR_OWNER, group ? str_of(group->gr_name) : STR(""));
	put_octal(block, 329, 6, " ", is_device ? major(s->st_rdev) : 0);
	put_octal(block, 337, 6, " ", is_device ? minor(s->st_rdev) : 0);
	put_checksum(block);
	buf_add(out, block, sizeof block);
}

/* A longer name needs its own header, as in the pax format. */
static void
add_long_name(struct buf *out, struct str name, const struct stat *s)
{
	struct buf record = {.arena = out->arena};
	struct stat as = *s;
	size_t rest = name.n + sizeof " path=\n" - 1, length = rest;

	/* The length counts its own digits. */
	for (int i = 0; i < 2; i++)
		length = rest + (size_t)snprintf(NULL, 0, "%zu", length);
	buf_fmt(&record, "%zu path=%.*s\n", length, STR_ARG(name));
	as.st_size = (off_t)record.n;
	add_header(out, STR("PaxHeader"), &as);
	out->p[out->n - TAR_BLOCK + 156] = 'x';
	put_checksum(out->p + out->n - TAR_BLOCK);
	buf_str(out, buf_as_str(&record));
	buf_fill(out, '\0', TAR_BLOCK - record.n % TAR_BLOCK);
}

/* FIFOs and devices have no contents: reading them might never end. */
static bool
read_contents(struct arena *a, const char *path, const struct stat *s, struct str *text)
{
	*text = STR("");
	if (!S_ISREG(s->st_mode) && !S_ISDIR(s->st_mode))
		return true;
	if (s->st_size > ENCODE_MOST) {
		errno = EFBIG;
		return false;
	}
	return file_read(a, path, text);
}

bool
encode_archive(struct buf *out, struct str path)
{
	struct buf tar = {.arena = out->arena};
	struct spool packed = spool_in(out->arena, "");
	const char *z = str_z(out->arena, path);
	struct str name = path_name(path), text;
	struct stat s;

	if (stat(z, &s) != 0 || !read_contents(out->arena, z, &s, &text))
		return false;
	s.st_size = (off_t)text.n;
	if (name.n > TAR_NAME)
		add_long_name(&tar, name, &s);
	add_header(&tar, name, &s);
	buf_str(&tar, text);
	if (text.n % TAR_BLOCK)
		buf_fill(&tar, '\0', TAR_BLOCK - text.n % TAR_BLOCK);
	buf_fill(&tar, '\0', (size_t)2 * TAR_BLOCK);
	packed.no_file = true;
	if (!compress_with(
		    &packed, &(struct long_text){buf_as_str(&tar), false}, 15 + 16))
		return false;
	buf_str(out, spool_text(&packed).s);
	return true;
}
