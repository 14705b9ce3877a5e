/* The readers of compat/coverage_*: the first byte says which one reads the rest. */
#include "compat/dashboard/coverage/coverage_mumps.h"
#include "tests/unit/coverage_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Nothing is counted that no report can show. */
static void
check(const struct coverage *c)
{
	for (size_t i = 0; i < c->sources.n; i++) {
		const struct source_coverage *s = &c->sources.v[i];

		INVARIANT(s->counts.n <= s->lines);
		INVARIANT(s->counts.n <= s->limit);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct coverage_fixture f;
	struct source_coverage *s;
	struct str text;

	if (size == 0)
		return 0;
	text = str_cut((const char *)data + 1, size - 1);
	coverage_fixture_open(&f, "R.m", "R ;\nEN ; x\n S X=1\n begin\n x;\n end;\n");
	s = coverage_source(&f.c, f.source);
	switch (data[0]) {
	case 'g':
		coverage_read_gcov(&f.c, s, text);
		break;
	case 't':
		coverage_read_trace(&f.c, s, text);
		break;
	case 'p':
		coverage_fixture_read(&f, coverage_php, "xdebugCoverage/x", text);
		break;
	case 'l':
		(void)coverage_read_lcov(&f.c, f.source, text);
		break;
	case 'B': {
		size_t half = str_find(text, '\f');

		(void)coverage_read_bullseye(&f.c, str_cut(text.p, half),
			str_from(text, half < text.n ? half + 1 : half));
		break;
	}
	case 'C':
		coverage_read_clang(&f.c, text);
		break;
	case 'c':
		coverage_fixture_read(&f, coverage_cobertura, "coverage.xml", text);
		break;
	case 'j':
		coverage_read_jacoco(&f.c, text);
		break;
	case 'b':
		coverage_read_blanket(&f.c, text);
		break;
	case 'd':
		coverage_read_delphi(&f.c, s, text);
		break;
	case 'm':
		coverage_read_gtm(&f.c, f.source, text);
		break;
	case 'k':
		coverage_read_cache(&f.c, f.source, text);
		break;
	case 'r':
		mumps_add_routine(&f.c, s, text);
		break;
	default:
		break;
	}
	check(&f.c);
	coverage_fixture_close(&f);
	return 0;
}
