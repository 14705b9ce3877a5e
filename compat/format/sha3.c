/* SHA3-256. See sha3.h; the step functions have their names from FIPS 202, section 3.2.
 */
#include "compat/format/sha3.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 5, LANES = WIDTH * WIDTH, ROUNDS = 24, RATE = 136, DIGEST = 32 };

static uint64_t
rotate_left(uint64_t x, unsigned by)
{
	return by ? x << by | x >> (64 - by) : x;
}

static void
apply_theta(uint64_t a[LANES])
{
	uint64_t parity[WIDTH] = {0};

	for (int i = 0; i < LANES; i++)
		parity[i % WIDTH] ^= a[i];
	for (int i = 0; i < LANES; i++)
		a[i] ^= parity[(i + 4) % WIDTH] ^ rotate_left(parity[(i + 1) % WIDTH], 1);
}

/* Rotates each lane and moves it to its new place. */
static void
rho_and_pi(uint64_t a[LANES])
{
	uint64_t moved = a[1];
	int x = 1, y = 0;

	for (unsigned t = 0, by = 0; t < LANES - 1; t++) {
		int next = (2 * x + 3 * y) % WIDTH;
		uint64_t kept;

		by = (by + t + 1) % 64;
		x = y;
		y = next;
		kept = a[x + WIDTH * y];
		a[x + WIDTH * y] = rotate_left(moved, by);
		moved = kept;
	}
}

static void
apply_chi(uint64_t a[LANES])
{
	for (int y = 0; y < LANES; y += WIDTH) {
		uint64_t row[WIDTH];

		memcpy(row, a + y, sizeof row);
		for (int x = 0; x < WIDTH; x++)
			a[y + x] ^= ~row[(x + 1) % WIDTH] & row[(x + 2) % WIDTH];
	}
}

/* The round's constant comes from a linear feedback shift register. */
static void
apply_iota(uint64_t a[LANES], unsigned *shift)
{
	for (unsigned j = 0; j < 7; j++) {
		if (*shift & 1)
			a[0] ^= UINT64_C(1) << ((1u << j) - 1);
		*shift = *shift << 1 ^ (*shift & 0x80 ? 0x171 : 0);
	}
}

static void
permute_lanes(uint64_t a[LANES])
{
	unsigned shift = 1;

	for (int round = 0; round < ROUNDS; round++) {
		apply_theta(a);
		rho_and_pi(a);
		apply_chi(a);
		apply_iota(a, &shift);
	}
}

static void
add_byte(uint64_t a[LANES], size_t at, unsigned char byte)
{
	a[at / 8] ^= (uint64_t)byte << 8 * (at % 8);
}

void
sha3_256_text(char text[SHA3_256_TEXT], struct str bytes)
{
	uint64_t a[LANES] = {0};
	size_t at = 0;

	for (size_t i = 0; i < bytes.n; i++) {
		add_byte(a, at++, (unsigned char)bytes.p[i]);
		if (at == RATE) {
			permute_lanes(a);
			at = 0;
		}
	}
	add_byte(a, at, 0x06);
	add_byte(a, RATE - 1, 0x80);
	permute_lanes(a);
	for (size_t i = 0; i < DIGEST; i++)
		snprintf(text + 2 * i, 3, "%02x",
			(unsigned)(a[i / 8] >> 8 * (i % 8) & 0xff));
}
