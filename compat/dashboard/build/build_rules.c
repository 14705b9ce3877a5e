/*
 * The expressions by which ctest recognizes messages of compilers, linkers and build
 * tools, in ctest's order. lcc prints "line", "error" and "warning" in Russian, too. See
 * build_rules.h.
 */
#include "compat/dashboard/build/build_rules.h"

#include <stddef.h>

static const char *const errors[] = {
	"^[Bb]us [Ee]rror",
	"^[Ss]egmentation [Vv]iolation",
	"^[Ss]egmentation [Ff]ault",
	":.*[Pp]ermission [Dd]enied",
	"([^ :]+):([0-9]+): ([^ \\t])",
	"([^:]+): error[ \\t]*[0-9]+[ \\t]*:",
	"^Error ([0-9]+):",
	"^Fatal",
	"^Error: ",
	"^Error ",
	"[0-9] ERROR: ",
	"^\"[^\"]+\", line [0-9]+: [^Ww]",
	"^cc[^C]*CC: ERROR File = ([^,]+), Line = ([0-9]+)",
	"^ld([^:])*:([ \\t])*ERROR([^:])*:",
	"^ild:([ \\t])*\\(undefined symbol\\)",
	"([^ :]+) : (error|fatal error|catastrophic error)",
	"([^:]+): (Error:|error|undefined reference|multiply defined)",
	"([^:]+)\\(([^\\)]+)\\) ?: (error|fatal error|catastrophic error)",
	"^fatal error C[0-9]+:",
	": syntax error ",
	"^collect2: ld returned 1 exit status",
	"ld terminated with signal",
	"Unsatisfied symbol",
	"^Unresolved:",
	"Undefined symbol",
	"^Undefined[ \\t]+first referenced",
	"^CMake Error.*:",
	":[ \\t]cannot find",
	":[ \\t]can't find",
	": \\*\\*\\* No rule to make target [`'].*\\'.  Stop",
	": \\*\\*\\* No targets specified and no makefile found",
	": Invalid loader fixup for symbol",
	": Invalid fixups exist",
	": Can't find library for",
	": internal link edit command failed",
	": Unrecognized option [`'].*\\'",
	"\", line [0-9]+\\.[0-9]+: [0-9]+-[0-9]+ \\([^WI]\\)",
	"ld: 0706-006 Cannot find or open library file: -l ",
	"ild: \\(argument error\\) can't find library argument ::",
	"^could not be found and will not be loaded.",
	"s:616 string too big",
	"make: Fatal error: ",
	"ld: 0711-993 Error occurred while writing to the output file:",
	"ld: fatal: ",
	"final link failed:",
	"make: \\*\\*\\*.*Error",
	"make\\[.*\\]: \\*\\*\\*.*Error",
	"\\*\\*\\* Error code",
	"nternal error:",
	"Makefile:[0-9]+: \\*\\*\\* .*  Stop\\.",
	": No such file or directory",
	": Invalid argument",
	"^The project cannot be built\\.",
	"^\\[ERROR\\]",
	"^Command .* failed with exit code",
	"lcc: \"([^\"]+)\", (line|\321\201\321\202\321\200\320\276\320\272\320\260) "
	"([0-9]+): (error|\320\276\321\210\320\270\320\261\320\272\320\260)",
	NULL,
};

static const char *const no_errors[] = {
	"instantiated from ",
	"candidates are:",
	": warning",
	": WARNING",
	": \\(Warning\\)",
	": note",
	"Note:",
	"makefile:",
	"Makefile:",
	":[ \\t]+Where:",
	"([^ :]+):([0-9]+): Warning",
	"------ Build started: .* ------",
	NULL,
};

static const char *const warnings[] = {
	"([^ :]+):([0-9]+): warning:",
	"([^ :]+):([0-9]+): note:",
	"^cc[^C]*CC: WARNING File = ([^,]+), Line = ([0-9]+)",
	"^ld([^:])*:([ \\t])*WARNING([^:])*:",
	"([^:]+): warning ([0-9]+):",
	"^\"[^\"]+\", line [0-9]+: [Ww](arning|arnung)",
	"([^:]+): warning[ \\t]*[0-9]+[ \\t]*:",
	"^(Warning|Warnung) ([0-9]+):",
	"^(Warning|Warnung)[ :]",
	"WARNING: ",
	"([^ :]+) : warning",
	"([^:]+): warning",
	"\", line [0-9]+\\.[0-9]+: [0-9]+-[0-9]+ \\([WI]\\)",
	"^cxx: Warning:",
	".*file: .* has no symbols",
	"([^ :]+):([0-9]+): (Warning|Warnung)",
	"\\([0-9]*\\): remark #[0-9]*",
	"\".*\", line [0-9]+: remark\\([0-9]*\\):",
	"cc-[0-9]* CC: REMARK File = .*, Line = [0-9]*",
	"^CMake Warning.*:",
	"^\\[WARNING\\]",
	"lcc: \"([^\"]+)\", (line|\321\201\321\202\321\200\320\276\320\272\320\260) "
	"([0-9]+): "
	"(warning|"
	"\320\277\321\200\320\265\320\264\321\203\320\277\321\200\320\265\320\266\320\264"
	"\320\265\320\275\320\270\320\265)",
	NULL,
};

static const char *const no_warnings[] = {
	"/usr/.*/X11/Xlib\\.h:[0-9]+: war.*: ANSI C\\+\\+ forbids declaration",
	"/usr/.*/X11/Xutil\\.h:[0-9]+: war.*: ANSI C\\+\\+ forbids declaration",
	"/usr/.*/X11/XResource\\.h:[0-9]+: war.*: ANSI C\\+\\+ forbids declaration",
	"WARNING 84 :",
	"WARNING 47 :",
	"makefile:",
	"Makefile:",
	"warning:  Clock skew detected.  Your build may be incomplete.",
	"/usr/openwin/include/GL/[^:]+:",
	"bind_at_load",
	"XrmQGetResource",
	"IceFlush",
	"warning LNK4089: all references to [^ \\t]+ discarded by .OPT:REF",
	"ld32: WARNING 85: definition of dataKey in",
	"cc: warning 422: Unknown option \"\\+b",
	"_with_warning_C",
	NULL,
};

const char *const *const build_rule_texts[BUILD_RULE_KINDS] = {
	[BUILD_RULE_ERROR] = errors,
	[BUILD_RULE_NO_ERROR] = no_errors,
	[BUILD_RULE_WARNING] = warnings,
	[BUILD_RULE_NO_WARNING] = no_warnings,
};

const struct build_place build_places[BUILD_PLACES] = {
	{"^Warning W[0-9]+ ([a-zA-Z.\\:/0-9_+ ~-]+) ([0-9]+):", 1, 2},
	{"^([a-zA-Z./0-9_+ ~-]+):([0-9]+):", 1, 2},
	{"^([a-zA-Z.\\:/0-9_+ ~-]+)\\(([0-9]+)\\)", 1, 2},
	{"^[0-9]+>([a-zA-Z.\\:/0-9_+ ~-]+)\\(([0-9]+)\\)", 1, 2},
	{"^([a-zA-Z./0-9_+ ~-]+)\\(([0-9]+)\\)", 1, 2},
	{"\"([a-zA-Z./0-9_+ ~-]+)\", line ([0-9]+)", 1, 2},
	{"File = ([a-zA-Z./0-9_+ ~-]+), Line = ([0-9]+)", 1, 2},
	{"lcc: \"([^\"]+)\", (line|\321\201\321\202\321\200\320\276\320\272\320\260) "
	 "([0-9]+): "
	 "(error|\320\276\321\210\320\270\320\261\320\272\320\260|warning|"
	 "\320\277\321\200\320\265\320\264\321\203\320\277\321\200\320\265\320\266\320"
	 "\264\320\265\320\275\320\270\320\265)",
		1, 3},
};
