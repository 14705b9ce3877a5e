"""Runs groups of cases on both sides and prints TAP."""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import zlib

import cases
import dashboard_tree
import memcheck
import sanitized
import seeds
import sides

HERE = pathlib.Path(__file__).resolve().parent


class Skip(Exception):
    """The group cannot be run here; the text says what is missing."""


def configure(group, root):
    """A real CMake project: configured and built in the tree with the installed cmake."""
    source, *words = group.project
    source = (group.source.parent / source).resolve()
    if not (source / "CMakeLists.txt").exists():
        raise Skip(f"no project {source.name}")
    copy = root.parent / "source"
    sides.remove(copy)
    shutil.copytree(source, copy)
    for command in (["cmake", "-S", copy, "-B", root, *words], ["cmake", "--build", root]):
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=sides.environment(root, {}),
        )
        if done.returncode:
            text = done.stdout.decode("utf-8", "replace")
            raise RuntimeError(f"{source.name} cannot be built:\n{text}")


class Runner:
    """All cases of one group, one after the other, in one place."""

    takes_memcheck = True

    def __init__(self, options, group):
        self.options, self.group = options, group
        self.place = pathlib.Path(options.work) / group.name
        self.root = self.place / "tree"
        self.oracle = sides.Side("oracle", [options.oracle])
        self.subject = sides.Side("subject", [options.subject, *shlex.split(options.words)])
        self.pristine = None

    def substitute(self, text):
        return text.replace("@DIR@", str(self.root))

    def base(self):
        """The tree before any case: configured once, then copied."""
        missing = [need for need in self.group.needs if not shutil.which(need)]
        if missing:
            raise Skip(f"no {missing[0]}")
        self.place.mkdir(parents=True, exist_ok=True)
        sides.remove(self.root)
        self.root.mkdir()
        if self.group.project:
            configure(self.group, self.root)
            self.pristine = self.place / "pristine"
            sides.remove(self.pristine)
            shutil.copytree(self.root, self.pristine, symlinks=True)

    def fresh(self):
        """The tree as base() made it."""
        sides.remove(self.root)
        if self.pristine:
            shutil.copytree(self.pristine, self.root, symlinks=True)
        else:
            self.root.mkdir()

    def seen(self):
        """The folder whose files are compared."""
        return self.root

    def done(self):
        if not self.options.keep:
            for folder in (self.root, self.place / "pristine", self.place / "source"):
                sides.remove(folder)

    def where(self, case):
        return self.root / case.directory if case.directory else self.root

    def prepare(self, case, side, env):
        def run(program):
            def run_it(words):
                out = self.place / "earlier"
                sides.execute(program, case, words, self.where(case), env, out)

            return run_it

        self.fresh()
        for change in case.changes:
            if change.kind == "self":
                run(side)([self.substitute(word) for word in change.words])
            else:
                sides.apply(change, self.root, self.substitute, run(self.oracle))

    def take(self, case, side):
        """Runs one side; -> what is to be seen afterwards"""
        extra = {name: self.substitute(value) for name, value in case.env.items()}
        extra = {**sides.path_with(self.options.oracle), **extra}
        env = sides.environment(self.root, extra, self.options.dialect)
        self.prepare(case, side, env)
        folder = self.place / case.name
        folder.mkdir(exist_ok=True)
        record = sides.Record(side)
        arguments = [self.substitute(word) for word in case.arguments]
        out = folder / side.name
        record.status = sides.execute(side, case, arguments, self.where(case), env, out)
        sides.take_streams(record, out, case)
        sides.take_files(record, self.seen(), self.root, case)
        for number, words in enumerate(case.after, 1):
            words = [self.substitute(word) for word in words]
            later = folder / f"{side.name}.after{number}"
            status = sides.execute(self.oracle, case, words, self.where(case), env, later)
            record.streams[f"after {number}: exit status"] = f"{status}\n"
            sides.take_streams(record, later, case, f"after {number}: ")
        if self.options.keep:
            sides.remove(folder / f"{side.name}.tree")
            if self.seen().exists():
                shutil.copytree(self.seen(), folder / f"{side.name}.tree", symlinks=True)
            (folder / f"{side.name}.status").write_text(f"{record.status}\n")
        return record

    def alone(self, case):
        """-> what sanitizers say"""
        folder = self.place / case.name
        side, judge = sanitized.put_under(self.subject, folder)
        status = self.take(case, side).status
        found = judge()
        if isinstance(status, str):
            found.append(("harness", "", f"the subject was {status}\n"))
        elif sanitized.crashed(status):
            found.append(("harness", "", f"the subject was killed by signal {-status}\n"))
        return found

    def take_both(self, case, side):
        """Who starts twice has two tags when a minute ends in between: then once more."""
        for _ in range(4):
            oracle, subject = self.take(case, self.oracle), self.take(case, side)
            if len(oracle.tags) == len(subject.tags):
                break
        return oracle, subject

    def compare(self, case):
        """-> differences, or a reason to skip the case"""
        if self.options.sanitized:
            return self.alone(case)
        if reason := case.not_compared(self.options.dialect):
            return reason
        side, judge = self.subject, list
        if self.options.memcheck:
            folder = self.place / case.name
            side, judge = memcheck.put_under(self.subject, folder, case)
        oracle, subject = self.take_both(case, side)
        if self.options.memcheck or case.unordered:
            oracle.times, subject.times = {}, {}
        found = broken(oracle, subject) + judge()
        if self.options.memcheck and case.not_under_valgrind:
            return found
        return found + sides.differences(oracle, subject, case.tolerance)


def broken(oracle, subject):
    """What no case may be excused for: not to end, and to be killed where ctest is not."""
    found = []
    if isinstance(oracle.status, str):
        found.append(("harness", "", f"the oracle was {oracle.status}\n"))
    if isinstance(subject.status, str):
        found.append(("harness", "", f"the subject was {subject.status}\n"))
    elif subject.status < 0 and subject.status != oracle.status:
        found.append(("harness", "", f"the subject was killed by signal {-subject.status}\n"))
    return found


def run_group(kind, options, group, selected):
    """-> [(case, differences or a reason to skip)]"""
    runner = kind(options, group)
    try:
        runner.base()
    except Skip as reason:
        return [(case, str(reason)) for case in selected]
    except (RuntimeError, OSError) as error:
        return [(case, [("harness", "", f"{error}\n")]) for case in selected]
    results = []
    for case in selected:
        try:
            found = dashboard_tree.within_a_day(lambda: runner.compare(case))
        except Exception as error:  # a case that cannot be prepared is a failing case
            found = [("harness", "", f"{type(error).__name__}: {error}\n")]
        results.append((case, found))
        if not options.keep:
            sides.remove(runner.place / case.name)
    runner.done()
    return results


def visible(line):
    text = line.rstrip("\n").encode("latin-1", "replace").decode("utf-8", "replace")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", lambda m: f"<{ord(m.group()):02x}>", text)


def explain(found, limit):
    for where, oracle, subject in found:
        yield f"{where}:"
        lines = list(
            difflib.unified_diff(
                oracle.splitlines(keepends=True), subject.splitlines(keepends=True), n=2
            )
        )[2:]
        for line in lines[:limit]:
            end = "" if line.endswith("\n") else "  (no newline)"
            yield "    " + visible(line) + end
        if len(lines) > limit:
            yield "    ..."


class Tap:
    def __init__(self, chosen):
        self.diff_lines, self.all_must_differ = chosen.diff_lines, chosen.all_must_differ
        self.memcheck, self.sanitized = chosen.memcheck, chosen.sanitized
        self.release = chosen.dialect
        self.number, self.failed, self.equal = 0, 0, 0

    def known(self, case, found):
        """A case that is known to differ: it must go on to, or its mark is stale."""
        if found:
            print(f"not ok {self.number} - {case.title} # TODO {case.known(self.release)}")
            return
        self.failed += 1
        print(f"not ok {self.number} - {case.title}")
        print(f"# equal now, though said to differ: {case.known(self.release)}")

    def check(self, title, wrong):
        """What is no case: `wrong` is empty when all is well."""
        self.number += 1
        self.failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {self.number} - {title}")
        for line in wrong.splitlines():
            print(f"# {line}")
        sys.stdout.flush()

    def may_differ(self, case, found):
        """Known differences are those between results; to have none is not among them."""
        if not case.known(self.release) or isinstance(found, str):
            return False
        if self.all_must_differ or self.sanitized:
            return False
        return all(where not in ("valgrind", "harness") for where, _, _ in found)

    def result(self, case, found):
        self.number += 1
        if self.may_differ(case, found):
            self.known(case, found)
        elif isinstance(found, str):
            print(f"ok {self.number} - {case.title} # SKIP {found}")
        elif not found:
            self.equal += 1
            print(f"ok {self.number} - {case.title}")
        else:
            self.failed += 1
            print(f"not ok {self.number} - {case.title}")
            for line in explain(found, self.diff_lines):
                print(f"# {line}")
        if self.memcheck and case.not_under_valgrind:
            print(f"# by valgrind's log alone: {case.not_under_valgrind}")
        sys.stdout.flush()


def run_all(kind, chosen, work):
    tap = Tap(chosen)
    print(f"1..{sum(len(selected) for _, selected in work)}", flush=True)
    # Groups that wait first, so that no worker is left with one at the end.
    work.sort(key=lambda item: min(case.tolerance for case in item[1]))
    with concurrent.futures.ThreadPoolExecutor(chosen.workers) as pool:
        futures = [pool.submit(run_group, kind, chosen, *item) for item in work]
        for future in concurrent.futures.as_completed(futures):
            for case, found in future.result():
                tap.result(case, found)
    if chosen.all_must_differ:
        print(f"# {tap.equal} cases did not differ")
        return tap.equal != 0
    if tap.failed:
        print(f"# {tap.failed} of {tap.number} cases differ")
    return tap.failed != 0


def options(description, arguments=None):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--oracle", default=os.environ.get("CCTR_ORACLE", "/usr/bin/ctest"))
    parser.add_argument("--subject", default=os.environ.get("CCTR_SUBJECT"), help="cctr")
    parser.add_argument("--dialect", metavar="X.Y", type=sides.release, default=sides.RELEASE,
                        help="release of ctest that cctr follows (%(default)s)")
    parser.add_argument("--filter", default="", help="regular expression on group/case")
    parser.add_argument("--share", type=int, default=1, metavar="N",
                        help="one case of N, chosen by the seed")
    parser.add_argument("--turn", type=int, default=0, metavar="K",
                        help="the K-th such share: those of 0 to N - 1 are all cases")
    parser.add_argument("--seed", type=int, default=None, help="of --share (default: the commit's)")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep streams and trees")
    parser.add_argument("--memcheck", action="store_true", help="subject under valgrind")
    parser.add_argument(
        "--sanitized", action="store_true", help="subject alone, judged by its sanitizers"
    )
    parser.add_argument("--with", dest="words", default="", metavar="WORDS",
                        help="further options of cctr alone, as a shell splits them")
    parser.add_argument("--work", help="folder to work in (default: a temporary one)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--diff-lines", type=int, default=30)
    parser.add_argument(
        "--all-must-differ", action="store_true", help="for tests of the suite itself"
    )
    parser.add_argument("files", nargs="*", help="what to run (default: all in cases/)")
    return parser.parse_args(arguments)


def read_files(files):
    if not files:
        return cases.read_all(HERE / "cases")
    return [group for file in files for group in cases.Reader(pathlib.Path(file)).read()]


def select(pattern, groups):
    for group in groups:
        selected = [case for case in group.cases if re.search(pattern, case.title)]
        if selected:
            yield group, selected


def share_of(chosen, work):
    """Some cases of each group, others in each turn."""
    if chosen.share == 1:
        return work
    seed = seeds.of_checkout() if chosen.seed is None else chosen.seed
    print(f"# --share {chosen.share} --turn {chosen.turn} --seed {seed}")

    def is_taken(case):
        text = f"{seed} {case.title}"
        return (zlib.crc32(text.encode()) + chosen.turn) % chosen.share == 0

    taken = [(group, [case for case in selected if is_taken(case)]) for group, selected in work]
    return [(group, selected) for group, selected in taken if selected]


def memcheck_or_exit(kind):
    if not kind.takes_memcheck:
        sys.exit("this program runs nothing under valgrind")
    if not shutil.which("valgrind"):
        sys.exit("no valgrind")


def main(description, kind, read=read_files):
    chosen = options(description)
    work = share_of(chosen, list(select(chosen.filter, read(chosen.files))))
    if chosen.list:
        for _, selected in work:
            print("\n".join(case.title for case in selected))
        return 0
    if not chosen.subject:
        sys.exit("name cctr with --subject or CCTR_SUBJECT")
    if chosen.memcheck:
        memcheck_or_exit(kind)
    # No core files and the same umask everywhere.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.umask(0o022)
    chosen.subject = sides.absolute(chosen.subject)
    chosen.oracle = sides.absolute(chosen.oracle)
    if not chosen.work:
        chosen.work = sides.new_folder("cctr-conformance.")
        if not chosen.keep:
            try:
                return run_all(kind, chosen, work)
            finally:
                sides.remove(pathlib.Path(chosen.work))
    pathlib.Path(chosen.work).mkdir(parents=True, exist_ok=True)
    chosen.work = str(pathlib.Path(chosen.work).resolve())
    if chosen.keep:
        print(f"# kept in {chosen.work}")
    return run_all(kind, chosen, work)
