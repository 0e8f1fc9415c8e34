"""Hold closed forms against runs of random small networks, as many as asked for.

`python benches/calc_agreement.py 2000` names every network of which they tell something wrong, by
the number that `tests/python/calc/random_cells.py` makes it of, and exits with 1 if there is one;
`python benches/calc_agreement.py 500 2000` begins with number 2000.
"""

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python" / "calc"))

from agreement import told_of
from random_cells import random_cell


def main(count: int, first: int = 0) -> int:
    """Compare so many networks from a number on; give the exit status."""
    forms: Counter[str] = Counter()
    wrong = 0
    for number in range(first, first + count):
        told = list(told_of(random_cell(number)))
        forms.update(each.flow.form + (", at most" * each.flow.is_most) for each in told)
        failed = [str(each) for each in told if not each.is_right]
        wrong += bool(failed)
        for each in failed:
            print(f"network {number}: {each}")
    print(f"{count} networks, {sum(forms.values())} numbers told, {wrong} networks with wrong ones")
    for form, times in forms.most_common():
        print(f"{times:6} {form}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:] or ["200"])))
