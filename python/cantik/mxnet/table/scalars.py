"""Operators between an array and a number, and those that change the element type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..lower import Val, is_whole
from .elementwise import BINARY, applied, modulo, whole_remainder
from .entry import Bool, DType, Float, operator

if TYPE_CHECKING:
    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


def _add_scalar(name, how, reverse):
    @operator(
        f'_{name}_scalar',
        aliases=(
            '_{}Scalar'.format(''.join(p.title() for p in (['R', name[1:]] if reverse else name.split('_')))),
        ),
        alike=True,
        live=('scalar',),
        scalar=Float(required=True),
        is_int=Bool(True),
    )
    def lower(g, a, x):
        """An array and a number, element by element."""
        number, f = a.scalar, how
        if is_whole(x.dtype):
            number = g.op('truncate', number) if isinstance(number, Val) else int(number)
            f = whole_remainder if how is modulo else how
        return applied(f, g, number, x) if reverse else applied(f, g, x, number)


for _name, _how, *_ in BINARY:
    _add_scalar(_name, _how, False)
    if _name in ('minus', 'div', 'mod', 'power'):
        _add_scalar('r' + _name, _how, True)


@operator(
    'Cast',
    aliases=('cast', 'amp_cast'),
    alike=True,
    types=lambda a, types: a.dtype,
    dtype=DType(required=True),
)
def cast(g: Lowering, a: Attributes, x: Any) -> Any:
    """The operand in another element type; numbers lose what is behind the point where it has whole ones."""
    return g.map('not_equal', x, 0) if a.dtype == np.bool_ else g.op('alias', x)
