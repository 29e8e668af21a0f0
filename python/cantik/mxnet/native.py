"""Operators of libraries in C++ in the table: what mx.library.load brings."""

from cantik import input_variable, placeholder
from cantik.ops.libraries import nnvm_operators

from .base import MXNetError, text_of
from .lower import Lowering, Val, call
from .ndarray.eager import forget
from .table.entry import OPERATORS, Attributes, Operator, numbered


class Keyword:
    """An argument of such an operator, as it describes it; its value stays a text."""

    def __init__(self, said):
        self._said = said

    def text(self):
        return self._said

    def read(self, operator, name, value):
        return text_of(value)


class Native(Operator):
    """An operator that a library registers as NNVM does. Its keywords are texts, which its own parser
    reads."""

    def __init__(self, described):
        self._of = described
        outputs = described['output_names'] or (
            ['output']
            if described['visible_outputs'] == 1
            else ['output{}'.format(i) for i in range(described['visible_outputs'])]
        )
        names = [n for n, _, _ in described['inputs']]
        variadic = 'num_args' if described['variadic'] else None
        super().__init__(
            described['name'],
            self._lower,
            names,
            {n: Keyword(t) for n, t, _ in described['arguments'] if n != 'more'},
            outputs[: described['visible_outputs']],
            [],
            self._complete,
            tuple(described['aliases']),
            (),
            variadic,
            False,
            None,
            self._doc(described),
        )

    @staticmethod
    def _doc(d):
        lines = [d['doc'], '', 'Parameters']
        lines += [
            '{} : {}\n    {}'.format(n, t, text) for n, t, text in d['inputs'] + d['arguments'] if n != 'more'
        ]
        return '\n'.join(lines)

    def read(self, given, node=''):
        return Attributes(
            (k, text_of(v)) for k, v in given.items() if not (k.startswith('__') and k.endswith('__'))
        )

    def list_inputs(self, a):
        return numbered('arg', int(a['num_args'])) if self.variadic else self.inputs

    def _given(self, a, train=False):
        """The attributes as the operator takes them: texts of its fields, and the others, with the mode, in
        one text."""
        fields = [n for n, _, _ in self._of['arguments'] if n != 'more']
        others = {k: v for k, v in a.items() if k not in fields and k != self.variadic}
        others['__train__'] = str(int(train))
        more = ''.join(
            '{}={}\n'.format(k, v.replace('\\', '\\\\').replace('\n', '\\n')) for k, v in others.items()
        )
        return tuple(a.get(n, '') for n in fields) + (more,)

    def _complete(self, a, shapes):
        """Shapes that the operator's own rule gives to operands of which nothing, or a part, is known."""
        if all(s is not None and all(s) for s in shapes) or all(s is None for s in shapes):
            return shapes
        values = [
            placeholder(dynamic_axes=[])
            if s is None
            else input_variable(s, dynamic_axes=[])
            if all(s)
            else placeholder(shape=tuple(d or -1 for d in s), dynamic_axes=[])
            for s in shapes
        ]
        call(self._of['operator'], tuple(values), self._given(a), '')
        return [
            None if any(d == UNKNOWN for d in v.shape) else tuple(max(d, 0) for d in v.shape) for v in values
        ]

    def _lower(self, g: Lowering, a, *operands):
        made = call(self._of['operator'], tuple(g.plain(v).v for v in operands), self._given(a, g.train), '')
        return [
            Val(v, False, v.shape, operands[0].dtype if operands else None)
            for v in made.outputs[: len(self.outputs)]
        ]


UNKNOWN = -2  # in a shape of Cantik's: not even the number of axes is known


def add_operators(path):
    """Puts the operators of a library into the table, and returns their names."""
    found = [Native(d) for d in nnvm_operators(path)]
    for op in found:
        for name in (op.name, *op.aliases):
            OPERATORS[name] = op
            forget(name)  # what was made of an operator of the table that had this name
    return [op.name for op in found]
