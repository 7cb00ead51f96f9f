"""Prints what `irtensor.cuda.selftest` finds on a card; fails where something fails, with status 2 without a card."""

import sys

import irtensor as it


def main() -> int:
    try:
        found = it.cuda.selftest()
    except it.UserError as error:
        print(error, file=sys.stderr)
        return 2
    print(found)
    return 1 if found.failed else 0


if __name__ == "__main__":
    sys.exit(main())
