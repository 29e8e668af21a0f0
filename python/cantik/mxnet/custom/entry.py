"""`Custom` in the table of operators: its operands, shapes and types are what the program's CustomOpProp
says."""

import numpy as np

from ..base import DTYPE_NUMBERS, MXNetError, as_dtype, missing, text_of
from ..lower import Val
from ..table.entry import OPERATORS, Attributes, Operator
from .classes import failed, registered
from .eager import Context
from .node import CustomNode


class Custom(Operator):
    """The entry of all operators that programs have registered."""

    @staticmethod
    def context():
        return Context()

    def __init__(self):
        super().__init__(
            'Custom',
            lower,
            self._inputs,
            {},
            self._outputs,
            self._aux,
            complete,
            (),
            (),
            None,
            True,
            types,
            "An operator of the program's own.",
        )

    def read(self, given, node=''):
        given = {k: v for k, v in given.items() if not (k.startswith('__') and k.endswith('__'))}
        name = given.get('op_type')
        if not name:
            raise MXNetError('Check failed: !params.op_type.empty(): Required argument `op_type` is missing.')
        prop_class = registered(name)
        if prop_class is None:
            raise MXNetError(
                'Check failed: CustomOperator: :Get()->Find(params.op_type) != nullptr: Cannot find custom '
                'operator {}'.format(name)
            )
        a = Attributes((k, text_of(v)) for k, v in given.items())
        try:
            prop = prop_class(**{k: v for k, v in a.items() if k != 'op_type'})
        except Exception as e:
            raise failed('{}.__init__'.format(name), e) from e
        return Described(a, prop)

    @staticmethod
    def _inputs(a):
        return a.listed('list_arguments')

    @staticmethod
    def _outputs(a):
        return a.listed('list_outputs')

    @staticmethod
    def _aux(a):
        return a.listed('list_auxiliary_states')

    def is_loss(self, a):
        return not a.prop.need_top_grad_

    def shapes_of(self, a, known):
        return [tuple(s) for s in a.shapes(known)[1]] if all(map(is_complete, known)) else []

    def complete_types(self, a, known):
        """Types of operands and states, once that of the first operand is known."""
        if not known or known[0] is None:
            return known
        count = len(self._inputs(a))
        in_types, _, aux_types = a.types([np.dtype(known[0] if t is None else t) for t in known[:count]])
        return [np.dtype(t) for t in list(in_types) + list(aux_types)]


class Described(Attributes):
    """An operator's keywords, and the CustomOpProp that they made."""

    def __init__(self, given, prop):
        super().__init__(given)
        self.__dict__['prop'] = prop

    def __reduce__(self):
        return dict, (dict(self),)

    @property
    def name(self):
        return self['op_type']

    def listed(self, method):
        names = self.called(method)
        if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
            raise MXNetError('{}.{} gives a list of names, not {!r}'.format(self.name, method, names))
        return list(names)

    def called(self, method, *arguments):
        try:
            return getattr(self.prop, method)(*arguments)
        except Exception as e:
            raise failed('{}.{}'.format(self.name, method), e) from e

    def shapes(self, known):
        """Shapes of operands, results and auxiliary states, from those of operands that are known."""
        count = len(self.listed('list_arguments'))
        made = self.called('infer_shape', [list(s) if s is not None else [] for s in known[:count]])
        if not isinstance(made, (list, tuple)) or len(made) not in (2, 3):
            raise MXNetError(
                'Error in {}.infer_shape: infer_shape must return 2 or 3 lists'.format(self.name)
            )
        made = [list(m) for m in made] + ([[]] if len(made) == 2 else [])
        for shapes, method, what in zip(
            made, ('list_arguments', 'list_outputs', 'list_auxiliary_states'), ('input', 'output', 'aux')
        ):
            if len(shapes) != len(self.listed(method)):
                raise MXNetError(
                    'Error in {}.infer_shape: InferShape Error: expecting {} entries in returned {} shapes, '
                    'got {}.'.format(self.name, len(self.listed(method)), what, len(shapes))
                )
        return made

    def types(self, known):
        made = self.called('infer_type', [np.dtype(t).type for t in known])
        if not isinstance(made, (list, tuple)) or len(made) not in (2, 3):
            raise MXNetError('Error in {}.infer_type: infer_type must return 2 or 3 lists'.format(self.name))
        return list(made) + ([[]] if len(made) == 2 else [])

    def check_storage(self):
        made = self.called('infer_storage_type', ['default'] * len(self.listed('list_arguments')))
        if any(s != 'default' for part in made for s in part):
            missing('sparse storage ({}.infer_storage_type gave {})'.format(self.name, made))

    def needed(self):
        """Which operands and results backward reads."""
        n, m = len(self.listed('list_arguments')), len(self.listed('list_outputs'))
        ids = set(
            self.called(
                'declare_backward_dependency',
                list(range(m)),
                list(range(m, m + n)),
                list(range(m + n, m + n + m)),
            )
        )
        return [i in ids for i in range(m, m + n)], [i in ids for i in range(m + n, m + n + m)]

    def made(self, context, shapes, dtypes):
        """The CustomOp for operands and states of these shapes and types."""
        return self.called(
            'create_operator',
            context,
            [list(s) for s in shapes],
            [DTYPE_NUMBERS[np.dtype(t)] for t in dtypes],
        )


def is_complete(shape):
    return shape is not None and all(shape)


def complete(a, shapes):
    if not shapes or not is_complete(shapes[0]):
        return shapes
    in_shapes, _, aux_shapes = a.shapes([s if is_complete(s) else None for s in shapes])
    return [tuple(s) if s else None for s in list(in_shapes) + list(aux_shapes)]


def types(a, operands):
    count = len(a.listed('list_arguments'))
    return [as_dtype(t) for t in a.types(operands[:count])[1]]


def lower(g, a, *operands):
    """A node whose rules call the program's operator."""
    count = len(a.listed('list_arguments'))
    given = operands[:count]
    in_shapes, shapes, _ = a.shapes([v.shape for v in given])
    for name, v, wanted in zip(a.listed('list_arguments'), given, in_shapes):
        if wanted and tuple(wanted) != v.shape:
            raise MXNetError(
                'Shape inconsistent, Provided = {}, inferred shape={} ({} of {})'.format(
                    list(v.shape), tuple(wanted), name, a.name
                )
            )
    a.check_storage()
    dtypes = types(a, [v.dtype for v in given])
    rows = next((v for v in given if v.rows), None)
    results = [
        (tuple(s), rows is not None and len(s) > 0 and s[0] == rows.shape[0], t)
        for s, t in zip(shapes, dtypes)
    ]
    source = g.context.operator_of(g.noted, a, [v.shape for v in operands], [v.dtype for v in operands])
    node = CustomNode(
        [v.v for v in given],
        a,
        [v.dtype for v in given],
        [v.shape for v in given],
        results,
        source,
        g.compute,
    )
    outs = node.outputs
    return [Val(o, by_rows, shape, t) for o, (shape, by_rows, t) in zip(outs, results)]


OPERATORS['Custom'] = Custom()
