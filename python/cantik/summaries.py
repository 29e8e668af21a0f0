"""A network as a table."""

from . import _cantik
from ._checks import network
from .logging.graph import depth_first_search


class Summary:
    """Rows (name, operator, output shape, parameters) of a network, in the order data flow, and sums; prints
    as a table."""

    def __init__(self, model):
        self.rows = []
        counted = set()
        for node in reversed(depth_first_search(model, lambda n: isinstance(n, _cantik.Function))):
            if node.op_name == 'Combine':
                continue
            own = [p for p in node.parameters if p not in counted]
            counted.update(own)
            self.rows.append((node.name or '', node.op_name, [o.shape for o in node.outputs], _count(own)))
        self.parameters = _count(model.parameters)
        self.tensors = len(model.parameters)
        self.inputs = [(a.name or a.uid, a.shape) for a in model.arguments]

    def __str__(self):
        lines = [('name', 'operator', 'output', 'parameters')]
        lines += [(name, '', _shape(shape), '') for name, shape in self.inputs]
        lines += [
            (name, op, ', '.join(map(_shape, shapes)), '{:,}'.format(n) if n else '')
            for name, op, shapes, n in self.rows
        ]
        widths = [max(len(line[i]) for line in lines) for i in range(4)]
        text = [
            '  '.join(
                (
                    line[0].ljust(widths[0]),
                    line[1].ljust(widths[1]),
                    line[2].ljust(widths[2]),
                    line[3].rjust(widths[3]),
                )
            ).rstrip()
            for line in lines
        ]
        rule = '-' * (sum(widths) + 6)
        return '\n'.join(
            [text[0], rule]
            + text[1:]
            + [rule, '{:,} parameters in {} tensors'.format(self.parameters, self.tensors)]
        )

    __repr__ = __str__


def _shape(shape):
    return (
        '?'
        if shape == (-2,)
        else ' x '.join('?' if d == -1 else '*' if d == -3 else str(d) for d in shape) or '1'
    )


def _count(parameters):
    total = 0
    for p in parameters:
        n = 1
        for d in p.shape:
            n *= max(d, 0)
        total += n
    return total


def summary(model):
    """A network as a table: its functions in the order data flow, their output shapes and parameters.

    Args:
        model (Function): the network

    Returns:
        a Summary, which prints as the table

    Example:
        >>> import cantik as C
        >>> model = C.layers.Dense(2, name='d')(C.input_variable(3, name='x'))
        >>> print(C.summary(model))
        name  operator  output  parameters
        ----------------------------------
        x               3
        d     Dense     2                8
        ----------------------------------
        8 parameters in 2 tensors
    """
    return Summary(network(model, 'model'))
