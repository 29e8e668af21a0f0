"""The command line: `cantik COMMAND ...`, or `python -m cantik COMMAND ...`."""

import sys

from .commands._program import main

if __name__ == '__main__':
    sys.exit(main())
