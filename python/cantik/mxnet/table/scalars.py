"""Operators between an array and a number, and those that change the element type."""
import numpy as np

from .elementwise import BINARY, applied
from .entry import Bool, DType, Float, operator


def _add_scalar(name, how, reverse):
    @operator('_{}_scalar'.format(name), aliases=('_{}Scalar'.format(''.join(p.title() for p in (['R', name[1:]] if reverse else name.split('_')))),), live=('scalar',),
              scalar=Float(required=True), is_int=Bool(True))
    def lower(g, a, x):
        """An array and a number, element by element."""
        return applied(how, g, a.scalar, x) if reverse else applied(how, g, x, a.scalar)


for _name, _how, *_ in BINARY:
    _add_scalar(_name, _how, False)
    if _name in ('minus', 'div', 'mod', 'power'):
        _add_scalar('r' + _name, _how, True)


@operator('Cast', aliases=('cast', 'amp_cast'), types=lambda a, types: a.dtype, dtype=DType(required=True))
def cast(g, a, x):
    """The operand in another element type; broken numbers lose what is behind the point where it has whole ones."""
    if np.dtype(a.dtype).kind in 'iub' and (x.dtype is None or x.dtype.kind == 'f'):
        return g.times(g.op('sign', x), g.op('floor', g.op('abs', x)))
    return g.op('alias', x)
