"""The part `search` of the bench: a large output with hostile expressions, and without."""

import random
import shutil

from measuring import compete, ratio, table

MIB = 1 << 20
BLOCK = 16

# None occurs in any of the texts. A backtracking matcher needs quadratic to exponential time for
# most of them.
HOSTILE = [
    "Test.*started.*FAILED",
    "(.|\n)*FORBIDDEN",
    "([a-z]+\n)+FORBIDDEN",
    "((x+x+)+\n)+!",
    "(a|aa|\n)+!",
    "(a+)*(b+)*#",
    "([a-z]+ )*[0-9]+:@",
    "(.*error)(.*warning)(.*fatal).*~",
    "[0-9]+[0-9]+[0-9]+[0-9]+;",
    "(^|\n)(Test [0-9]+ (started|ended)\n)+Abort",
    "(x|xx|xxx)*X",
    "started / ok.*started / ok.*not ok",
    "([^\n]*\n)*Segmentation fault",
    "(a?)(a?)(a?)(a?)(a?)(a?)aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaA",
    "(([a-z])+.)+[A-Z]([a-z])+%",
    "==[0-9]+==.*definitely lost: [1-9]",
    "[Ee][Rr][Rr][Oo][Rr]:.*\\|",
    "(ok|not ok|skip)+\\$",
    "assert.*(failed|false).*line [0-9]+&",
    "terminate called.*what",
]

# After an 'a', as many states as there are ways to write so many letters.
EXPLODING = [f"a{'[ab]' * n}!" for n in range(12, 32)]

# As many states, with loops, alternatives and optional parts.
TANGLED = [
    pattern
    for n in range(12, 16)
    for pattern in (
        f"x*a[ab]*a{'[ab]' * n}!",
        f"a{'[ab]' * n}(ab|ba|aab)*!",
        f"(a{'[ab]' * n}|b{'[ab]' * (n // 2)})+!",
        f"a{'b?[ab]' * n}!",
        f"a([ab][ab][ab])*{'[ab]' * n}!",
    )
]

# The same, where no two begin in the same way.
APART = [
    "".join("ab"[i >> k & 1] for k in range(5)) + pattern for i, pattern in enumerate(TANGLED)
]


def words(choose):
    return " ".join(
        "".join(choose("abcdefghijklmnopqrstuvwxyz") for _ in range(choose(range(1, 12))))
        for _ in range(choose(range(1, 12)))
    )


def log_line(choose, i):
    kind = choose(range(4))
    if kind == 0:
        return f"Test {i} started / ok"
    if kind == 1:
        return f"==4711== {words(choose)} 0x{choose(range(1 << 32)):08x}"
    if kind == 2:
        return f"{words(choose)}: warning: {words(choose)} [{i}]"
    return words(choose)


def log_text(choose):
    return (log_line(choose, i) for i in range(1 << 20))


def letters(choose):
    return ("".join(choose("ab") for _ in range(60)) for _ in range(1 << 20))


def ended_letters(choose):
    """The byte that most expressions need at their end is in every line, where none can end."""
    return ("b!" + line for line in letters(choose))


TEXTS = {
    "Test N started / ok": lambda _: (f"Test {i} started / ok" for i in range(1 << 22)),
    "lines of x": lambda _: ("x" * 60 for _ in range(1 << 20)),
    "lines of a": lambda _: ("a" * 60 for _ in range(1 << 20)),
    "words and numbers": log_text,
    "one line": lambda choose: (words(choose) + " " for _ in range(1 << 20)),
    "random a and b": letters,
    "lines of b!, a and b": ended_letters,
}


def write_block(path, text):
    """So many MiB of the text; the whole output is this one over and over."""
    end = "" if text == "one line" else "\n"
    left = BLOCK * MIB
    with open(path, "w", encoding="ascii") as file:
        for line in TEXTS[text](random.Random(1).choice):
            left -= file.write(line[:left] + end)
            if left <= len(end):
                break


def write_test(folder, block, mib, patterns):
    folder.mkdir()
    blocks = " ".join([str(block)] * (mib // BLOCK))
    properties = ""
    if patterns:
        # CMake's bracket arguments keep what is written; a list's ';' is escaped.
        quoted = ";".join(p.replace(";", r"\;") for p in patterns)
        properties = f"set_tests_properties(t PROPERTIES FAIL_REGULAR_EXPRESSION [==[{quoted}]==])"
    (folder / "CTestTestfile.cmake").write_text(
        f'add_test(t "/bin/sh" "-c" "cat {blocks}")\n{properties}\n', encoding="ascii"
    )


def one_text(chosen, place, text, patterns, mib):
    block = place / "block"
    write_block(block, text)
    write_test(place / "without", block, mib, [])
    write_test(place / "with", block, mib, patterns)
    figures = compete(
        chosen.timed,
        {name: [chosen.subject, "--test-dir", name] for name in ("without", "with")},
        place, chosen.rounds,
    )
    for name in figures:
        shutil.rmtree(place / name)
    bare, found = figures["without"], figures["with"]
    return [
        text, f"{mib:,}", f"{bare.wall:.2f}", f"{found.wall:.2f}", ratio(found.wall, bare.wall),
        ratio(found.cpu, bare.cpu), f"{(found.cpu - bare.cpu) / mib / MIB * 1e9:.2f}",
        f"{found.memory / 1024:.0f}",
    ]


def search(chosen, place):
    """What searching costs beside reading; the seconds of reading have those of the test."""
    folder = place / "search"
    folder.mkdir()
    head = ["output", "MiB", "read s", "searched s", "wall/read", "cpu/read", "ns/byte", "MiB mem"]
    lists = {"hostile": HOSTILE, "exploding": EXPLODING, "tangled": TANGLED, "apart": APART}
    for title, patterns in lists.items():
        mib = chosen.mib if patterns is HOSTILE else min(chosen.mib, 256)
        rows = [one_text(chosen, folder, text, patterns, mib) for text in TEXTS]
        print(f"search: {len(patterns)} {title} expressions")
        table(head, rows)
