"""The seed of a checkout, for random cases.  Every commit looks at cases of its own, and one
commit always at the same: a run that passed once passes again, and one that failed can be
looked into.  Only where git does not know the tree, or --seed says so, it is another."""

import pathlib
import random
import subprocess

LEAST, NUMBER = 10**7, 10**9  # lower ones are for fixed seeds


def of_checkout():
    here = pathlib.Path(__file__).resolve().parent
    command = ["git", "-C", str(here), "rev-parse", "--verify", "--quiet", "HEAD^{tree}"]
    try:
        tree = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return LEAST + int(tree, 16) % NUMBER
    except (OSError, subprocess.CalledProcessError, ValueError):
        return LEAST + random.SystemRandom().randrange(NUMBER)
