"""`Custom` in the table of operators: its operands, shapes and types are what the program's CustomOpProp
says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import DTYPE_NUMBERS, MXNetError, as_dtype, missing, text_of
from ..lower import Val
from ..table.entry import OPERATORS, Attributes, Operator
from .classes import failed, registered
from .eager import Context
from .node import CustomNode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mxnet.lower import Lowering


class Custom(Operator):
    """The entry of all operators that programs have registered."""

    @staticmethod
    def context() -> Any:
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

    def read(self, given: Any, node: Any = '') -> Any:
        given = {k: v for k, v in given.items() if not (k.startswith('__') and k.endswith('__'))}
        name = given.get('op_type')
        if not name:
            raise MXNetError('Check failed: !params.op_type.empty(): Required argument `op_type` is missing.')
        prop_class = registered(name)
        if prop_class is None:
            raise MXNetError(
                'Check failed: CustomOperator: :Get()->Find(params.op_type) != nullptr: Cannot find custom '
                f'operator {name}'
            )
        a = Attributes((k, text_of(v)) for k, v in given.items())
        try:
            prop = prop_class(**{k: v for k, v in a.items() if k != 'op_type'})
        except Exception as e:
            raise failed(f'{name}.__init__', e) from e
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

    def is_loss(self, a: Attributes) -> bool:
        return not a.prop.need_top_grad_

    def shapes_of(self, a: Attributes, known: Sequence[Any]) -> Any:
        return [tuple(s) for s in a.shapes(known)[1]] if all(map(is_complete, known)) else []

    def complete_types(self, a: Attributes, known: Sequence[Any]) -> Any:
        """Types of operands and states, once that of the first operand is known."""
        if not known or known[0] is None:
            return known
        count = len(self._inputs(a))
        in_types, _, aux_types = a.types([np.dtype(known[0] if t is None else t) for t in known[:count]])
        return [np.dtype(t) for t in list(in_types) + list(aux_types)]


class Described(Attributes):
    """An operator's keywords, and the CustomOpProp that they made."""

    def __init__(self, given: Any, prop: Any):
        super().__init__(given)
        self.__dict__['prop'] = prop

    def __reduce__(self):
        return dict, (dict(self),)

    @property
    def name(self) -> Any:
        return self['op_type']

    def listed(self, method: str) -> Any:
        names = self.called(method)
        if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
            raise MXNetError(f'{self.name}.{method} gives a list of names, not {names!r}')
        return list(names)

    def called(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self.prop, method)(*arguments)
        except Exception as e:
            raise failed(f'{self.name}.{method}', e) from e

    def shapes(self, known: Sequence[Any]) -> Any:
        """Shapes of operands, results and auxiliary states, from those of operands that are known."""
        count = len(self.listed('list_arguments'))
        made = self.called('infer_shape', [list(s) if s is not None else [] for s in known[:count]])
        if not isinstance(made, (list, tuple)) or len(made) not in (2, 3):
            raise MXNetError(f'Error in {self.name}.infer_shape: infer_shape must return 2 or 3 lists')
        made = [list(m) for m in made] + ([[]] if len(made) == 2 else [])
        for shapes, method, what in zip(
            made, ('list_arguments', 'list_outputs', 'list_auxiliary_states'), ('input', 'output', 'aux')
        ):
            if len(shapes) != len(self.listed(method)):
                raise MXNetError(
                    f'Error in {self.name}.infer_shape: InferShape Error: expecting '
                    f'{len(self.listed(method))} entries in returned {what} shapes, got {len(shapes)}.'
                )
        return made

    def types(self, known: Sequence[Any]) -> Any:
        made = self.called('infer_type', [np.dtype(t).type for t in known])
        if not isinstance(made, (list, tuple)) or len(made) not in (2, 3):
            raise MXNetError(f'Error in {self.name}.infer_type: infer_type must return 2 or 3 lists')
        return list(made) + ([[]] if len(made) == 2 else [])

    def check_storage(self) -> Any:
        made = self.called('infer_storage_type', ['default'] * len(self.listed('list_arguments')))
        if any(s != 'default' for part in made for s in part):
            missing(f'sparse storage ({self.name}.infer_storage_type gave {made})')

    def needed(self) -> Any:
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

    def made(self, context: Any, shapes: Sequence[Any], dtypes: Any) -> Any:
        """The CustomOp for operands and states of these shapes and types."""
        return self.called(
            'create_operator',
            context,
            [list(s) for s in shapes],
            [DTYPE_NUMBERS[np.dtype(t)] for t in dtypes],
        )


def is_complete(shape: Any) -> bool:
    return shape is not None and all(shape)


def complete(a: Attributes, shapes: Sequence[Any]) -> Any:
    if not shapes or not is_complete(shapes[0]):
        return shapes
    in_shapes, _, aux_shapes = a.shapes([s if is_complete(s) else None for s in shapes])
    return [tuple(s) if s else None for s in list(in_shapes) + list(aux_shapes)]


def types(a: Attributes, operands: Any) -> Any:
    count = len(a.listed('list_arguments'))
    return [as_dtype(t) for t in a.types(operands[:count])[1]]


def lower(g: Lowering, a: Attributes, *operands: Any) -> Any:
    """A node whose rules call the program's operator."""
    count = len(a.listed('list_arguments'))
    given = operands[:count]
    in_shapes, shapes, _ = a.shapes([v.shape for v in given])
    for name, v, wanted in zip(a.listed('list_arguments'), given, in_shapes):
        if wanted and tuple(wanted) != v.shape:
            raise MXNetError(
                f'Shape inconsistent, Provided = {list(v.shape)}, inferred shape={tuple(wanted)} '
                f'({name} of {a.name})'
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
