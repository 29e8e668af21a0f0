"""The command line: `cantik COMMAND ...`, or `python -m cantik COMMAND ...`."""

import importlib
import pkgutil
import sys

from . import cantik_version, commands


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    known = sorted(m.name for m in pkgutil.iter_modules(commands.__path__))
    if arguments and arguments[0] in known:
        return importlib.import_module(commands.__name__ + '.' + arguments[0]).main(arguments[1:])
    if arguments == ['--version']:
        print(cantik_version)
        return 0
    lines = ['usage: cantik COMMAND ...', '', 'commands:']
    lines += [
        '  {:10} {}'.format(
            name, importlib.import_module(commands.__name__ + '.' + name).__doc__.split('\n')[0]
        )
        for name in known
    ]
    asked = not arguments or arguments[0] in ('-h', '--help', 'help')
    print(
        '\n'.join(lines if asked else ['cantik: there is no command ' + arguments[0], *lines]),
        file=sys.stdout if asked else sys.stderr,
    )
    return 0 if asked else 2


if __name__ == '__main__':
    sys.exit(main())
