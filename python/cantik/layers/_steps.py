"""Steps of recurrences as networks."""

from .. import _cantik
from .._checks import refused
from ..ops.functions import Function

_MOST_STATES = 10  # of a Python function, as in CNTK


def traced(step, layer):
    """A step as a network: a Python function is traced. The argument `layer` is its name in errors."""
    if isinstance(step, _cantik.Function):
        return step
    if not callable(step):
        raise refused(
            'the step of ' + layer,
            'a function of variables: a layer, a Function or a function of Python',
            step,
        )
    first = int(
        _cantik.placeholder(None, None, None, '').uid[len('Placeholder') :]
    )  # of all that is made from here on
    network = Function(step)
    if len(network.outputs) > _MOST_STATES:
        raise ValueError(
            f'{layer}: a Python function may have {_MOST_STATES} states, not {len(network.outputs)}: '
            'make it a Function'
        )
    made = [
        p
        for p in network.parameters
        if p.uid.startswith('Parameter') and int(p.uid[len('Parameter') :]) > first
    ]
    if made:
        raise TypeError(
            f"{layer}: the step makes the parameter '{made[0].name or made[0].uid}', which would be another "
            'one each time it is called: make parameters and layers outside'
        )
    return network
