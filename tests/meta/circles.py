"""Prints the circles of modules (x.h and x.c are one) that include each other. The
interpreter of test files may be one: it is one recursion."""

import collections
import pathlib
import re

INTERPRETER = "manifests/cmake"


def includes():
    """-> {module: modules that it includes}"""
    found = collections.defaultdict(set)
    for folder in ("runner", "compat", "manifests"):
        for path in pathlib.Path(folder).rglob("*.[ch]"):
            module = str(path.with_suffix(""))
            for name in re.findall(r'#include "([^"]+)\.h"', path.read_text()):
                if name != module:
                    found[module].add(name)
    return found


def reached(graph, start):
    seen, ahead = set(), [start]
    while ahead:
        for module in graph.get(ahead.pop(), ()):
            if module not in seen:
                seen.add(module)
                ahead.append(module)
    return seen


def circles(graph):
    after = {module: reached(graph, module) for module in graph}
    left = {module for module in after if module in after[module]}
    while left:
        one = min(left)
        circle = {m for m in after[one] if one in after.get(m, ())}
        left -= circle
        yield sorted(circle)


def main():
    for circle in circles(includes()):
        rooms = {str(pathlib.PurePath(module).parent) for module in circle}
        if rooms != {INTERPRETER}:
            print(len(circle), *circle)


if __name__ == "__main__":
    main()
