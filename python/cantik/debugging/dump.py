"""Networks printed line by line."""

from .. import _cantik
from ..logging.graph import depth_first_search
from .._checks import network

_KINDS = ('Input', 'Output', 'Parameter', 'Constant', 'Placeholder')


def dump_signature(root, tag=None):
    """Prints the types of a function's arguments and outputs.

    Args:
        root (Function): the function
        tag (str): accepted for CNTK's sake
    """
    print(network(root, 'root'))


def dump_function(root, tag=None):
    """Prints a network, a line for each of its functions, inside blocks too. Letters stand for what has no
    name.

    Args:
        root (Function): the network
        tag (str): accepted for CNTK's sake

    Example:
        >>> import cantik as C
        >>> C.debugging.dump_function(C.exp(C.parameter(2, name='p') * 2))
        Composite() -> ParameterTensor[2]
          Exp                  a                              (c:(2,)) -> (b:(2,))
          ElementTimes         d                              (p:(2,), e:()) -> (c:(2,))
          Parameter            p                               (2,)
          Constant             e                               ()
    """
    print(network(root, 'root'))
    names = _Names()
    for node in depth_first_search(root, lambda n: True, depth=-1):
        line = names.function(node) if isinstance(node, _cantik.Function) else names.leaf(node)
        for axis, letter in names.new_axes():
            print('  Axis {} == {}'.format(axis, letter))
        print('  ' + line)


def _letters(number):
    """a, b, ..., z, ba, bb, ...: a number in the digits a to z."""
    text = chr(ord('a') + number % 26)
    return _letters(number // 26) + text if number >= 26 else text


class _Names:
    """Letters for functions and variables without a name, from a on, and for sequence axes, from n on."""

    def __init__(self):
        self._given, self._axes, self._announced = {}, {}, 0

    def function(self, f):
        name, outputs, inputs = self._of(f), self._all(f.outputs), self._all(f.inputs)
        return '{:<20} {:<30} ({}) -> ({})'.format(f.op_name, name, inputs, outputs)

    def leaf(self, v):
        kind = next(k for k in _KINDS if getattr(v, 'is_' + k.lower()))
        name = self._of(v) + (' ' + v.uid if v.is_input or v.is_placeholder else '')
        return '{:<20} {:<30}  {}'.format(kind, name, self._type(v))

    def new_axes(self):
        """Pairs of a sequence axis and its letter, of those that came since the last call."""
        new = list(self._axes.items())[self._announced :]
        self._announced = len(self._axes)
        return new

    def _of(self, item):
        return item.name or self._given.setdefault(item.uid, _letters(len(self._given)))

    def _all(self, variables):
        return ', '.join('{}:{}'.format(self._of(v), self._type(v)) for v in variables)

    def _type(self, v):
        return self._dynamic(v) + str(v.shape)

    def _dynamic(self, v):
        axes = v.dynamic_axes
        if v.is_placeholder and not axes or any(a.name == 'UnknownAxes' for a in axes):
            return '[?]'
        return (
            '[' + ','.join('b*' if a.is_batch_axis else self._axis(a.name) for a in axes) + ']'
            if axes
            else ''
        )

    def _axis(self, name):
        return self._axes.setdefault(name, _letters(len(self._axes) + 13) + '*')
