"""The text of the error of a compiled function that refused its arguments.

The text names the wrong argument, its kind, and the given value.
"""

import re

_KINDS = {
    'int': 'a whole number',
    'float': 'a number',
    'bool': 'True or False',
    'str': 'a str',
    'bytes': 'bytes',
    'dict': 'a dictionary',
    'list': 'a list',
    'tuple': 'a tuple',
    'Callable': 'a function',
    'Sequence': 'a list',
    'object': 'a value',
}
_CHECKS = {
    'int': int,
    'float': (int, float),
    'bool': bool,
    'str': str,
    'bytes': bytes,
    'dict': dict,
    'list': list,
    'tuple': tuple,
}


class _Parameter:
    """One parameter of a signature, as 'name: type = default' says it."""

    def __init__(self, text):
        text, _, default = text.partition(' = ')
        self.name, _, kind = text.strip().partition(': ')
        self.required = not default
        self.optional = kind.endswith(' | None')
        self.kind = kind[: -len(' | None')] if self.optional else kind

    def takes(self, value):
        if value is None:
            return self.optional or self.kind == 'None'
        word = self.kind.partition('[')[0].rpartition('.')[2]
        if word in _CHECKS:
            return isinstance(value, _CHECKS[word]) and (word != 'int' or -(2**63) <= value < 2**63)
        if word == 'Sequence':
            return isinstance(value, (list, tuple))
        if word == 'Callable':
            return callable(value)
        return word in ('object', '') or any(c.__name__ == word for c in type(value).__mro__)

    def expected(self):
        if self.name == 'device':
            return 'a DeviceDescriptor such as cpu() gives' + (', or None' if self.optional else '')
        word = self.kind.partition('[')[0].rpartition('.')[2]
        return _KINDS.get(word, 'of the class ' + word) + (', or None' if self.optional else '')


def _parameters(signature):
    """(the parameters but for self, whether any number may follow) of 'def f(self, a: int = \\0, *, b:
    list[int]) -> None'."""
    inside = signature[signature.index('(') + 1 : signature.rindex(') ->')]
    parts = [part for part in re.split(r', (?![^\[\(]*[\]\)])', inside) if part]
    free = any(part.startswith('*') and part != '*' for part in parts)
    named = [
        _Parameter(part) for part in parts if part not in ('/', '*', 'self') and not part.startswith('*')
    ]
    return named, free


def shown(value):
    """A value as errors show it."""
    text = repr(value)
    if ' object at 0x' in text:
        return 'an object of the class ' + type(value).__name__
    return text if len(text) <= 80 else text[:80] + '...'


def _problem(name, parameters, free, args, kwargs):
    """(how near the call came, what is wrong with it)."""
    if len(args) > len(parameters) and not free:
        return 0, '{} takes {} argument{}, {} were given'.format(
            name, len(parameters), '' if len(parameters) == 1 else 's', len(args)
        )
    known = {p.name: p for p in parameters}
    for key in kwargs:
        if key not in known and not free:
            return 1, f"{name} has no argument '{key}'"
        if key in [p.name for p in parameters[: len(args)]]:
            return 1, f"{name} got the argument '{key}' twice"
    for p in parameters[len(args) :]:
        if p.required and p.name not in kwargs:
            return 2, f"{name}: the argument '{p.name}' is missing"
    for place, (p, value) in enumerate(
        list(zip(parameters, args)) + [(known[key], value) for key, value in kwargs.items() if key in known]
    ):
        if not p.takes(value):
            return 3 + place, f'{name}: the argument {p.name} is {p.expected()}, not {shown(value)}'
    return 2, '{} does not take these arguments: {}'.format(
        name, ', '.join([type(a).__name__ for a in args] + list(kwargs))
    )


def explained(function, args, kwargs):
    """The text of the error.

    Args:
        function: the compiled function
        args (list): what was given by place, a method's object first
        kwargs (dict): what was given by name
    """
    name = function.__name__
    signatures = function.__nb_signature__
    method = re.match(r'def \w+\(self[,)]', signatures[0][0]) is not None
    if method:
        if name == '__init__' and args:
            name = type(args[0]).__name__
        args = args[1:]
    found = []
    for signature in signatures:
        parameters, free = _parameters(signature[0])
        found.append(
            _problem(name, parameters, free, args, kwargs) + (', '.join(p.name for p in parameters),)
        )
    _nearness, text, _ = max(found, key=lambda f: f[0])
    return text + '\n  remedy   ' + ' or '.join(f'{name}({parameters})' for _, _, parameters in found)
