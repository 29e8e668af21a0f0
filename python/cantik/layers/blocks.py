"""Blocks: small layers, and the steps of recurrences."""
from .. import _cantik
from ..default_options import default_override_or
from ..initializer import glorot_uniform
from ..internal.waiting import not_there
from ..ops import sigmoid, tanh
from ..ops.functions import BlockFunction, Function
from ._options import chosen, dtype

__all__ = ['UntestedBranchError', 'ForwardDeclaration', 'identity', 'Stabilizer', 'LSTM', 'RNNStep', 'RNNUnit', 'GRU']


def UntestedBranchError(name):
    """The error of a combination of options that nobody has tried."""
    return NotImplementedError('Untested code branch: ' + name)


def ForwardDeclaration(name='forward_declaration'):
    """A placeholder for a value that is defined later; resolve_to binds it, which makes a recurrence.

    Args:
        name (str): of the placeholder

    Example:
        >>> import cantik as C
        >>> C.layers.ForwardDeclaration('f').name
        'f'
    """
    from ..ops import placeholder
    declared = placeholder(name=name)

    def resolve_to(value):
        value = value.output if isinstance(value, _cantik.Function) else value
        value.owner.replace_placeholders({declared: value})
    declared.resolve_to = resolve_to
    return declared


@Function
def identity(keep):
    """y = x."""
    return keep


def Stabilizer(steepness=4, enable_self_stabilization=default_override_or(True), name=''):
    """Multiplies with a learned positive factor that begins as 1 (Ghahremani and Droppo 2016).

    Args:
        steepness (int): how fast the factor follows its parameter
        enable_self_stabilization (bool): False makes it the identity
        name (str): of the layer

    Returns:
        a function of one argument with the parameter alpha

    Example:
        >>> import cantik as C
        >>> C.layers.Stabilizer()(C.input_variable(3)).shape
        (3,)
    """
    enabled, = chosen(Stabilizer, enable_self_stabilization=enable_self_stabilization)
    if not enabled:
        return identity
    return _cantik.layers.stabilizer(steepness, dtype(), name)


def LSTM(shape, cell_shape=None, activation=default_override_or(tanh), use_peepholes=default_override_or(False), init=default_override_or(glorot_uniform()),
         init_bias=default_override_or(0), enable_self_stabilization=default_override_or(False), name=''):
    """The step of an LSTM. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.LSTM')


def RNNStep(shape, cell_shape=None, activation=default_override_or(sigmoid), init=default_override_or(glorot_uniform()), init_bias=default_override_or(0),
            enable_self_stabilization=default_override_or(False), name=''):
    """The step of a plain recurrence. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.RNNStep')


def RNNUnit(shape, cell_shape=None, activation=default_override_or(sigmoid), init=default_override_or(glorot_uniform()), init_bias=default_override_or(0),
            enable_self_stabilization=default_override_or(False), name=''):
    """The old name of RNNStep. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.RNNUnit')


def GRU(shape, cell_shape=None, activation=default_override_or(tanh), init=default_override_or(glorot_uniform()), init_bias=default_override_or(0),
        enable_self_stabilization=default_override_or(False), name=''):
    """The step of a GRU. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.GRU')
