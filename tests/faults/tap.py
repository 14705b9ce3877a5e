"""Prints results of a test of the harness."""


def print_results(results):
    """results: title, whether it is right, and what was found.  -> whether one is wrong"""
    print(f"1..{len(results)}")
    for number, (title, right, found) in enumerate(results, 1):
        print(f"{'ok' if right else 'not ok'} {number} - {title}")
        if not right:
            print(f"# {found}")
    return not all(right for _, right, _ in results)
