"""Axes of values: static ones by index, dynamic ones (batch, sequence) by name."""

from ._cantik import Axis

__all__ = ['Axis']

_SIGNS = {Axis.default_batch_axis(): '#', Axis.default_dynamic_axis(): '*'}
_SIZES = {-1: '?', -3: '*'}


class Axes(tuple):
    """All axes of a variable, in the order of its data: Axis objects, the dynamic ones first. It prints as
    error messages do.

    `#` is the batch axis, `*` the default sequence axis, a name another sequence axis. Then come the sizes of
    the static axes: `?` for one that is still to be inferred, `*` for one that may differ from call to call.
    `???` stands for axes that are not known yet.

    Args:
        dynamic (tuple): the dynamic axes
        shape (tuple): the static shape

    Example:
        >>> import cantik as C
        >>> x = C.sequence.input_variable((4, 3))
        >>> x.axes
        [#, *, 4, 3]
        >>> x.axes[1], x.axes[2]
        (Axis('defaultDynamicAxis'), Axis('staticAxisIdx=0'))
    """

    def __new__(cls, dynamic, shape):
        known = -2 not in shape  # of unknown rank
        self = super().__new__(cls, (*dynamic, *(map(Axis, range(len(shape))) if known else ())))
        unknown = (Axis.unknown_dynamic_axes()[0],)
        self._text = (['???'] if tuple(dynamic) == unknown else [_SIGNS.get(a, a.name) for a in dynamic]) + (
            [_SIZES.get(n, str(n)) for n in shape] if known else ['???']
        )
        return self

    def __repr__(self):
        return '[{}]'.format(', '.join(self._text))
