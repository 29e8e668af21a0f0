"""Operators written in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import listed
from .._lent_values import LentValue as LentValue  # what the binding hands out
from . import functions
from ._user_records import classes, register_udf_deserialize_callback as register_udf_deserialize_callback
from .functions import Function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..variables import Variable


class PythonOperator(Function):
    """An operator that is called with the network's own memory: the mechanism under UserFunction and its
    like.

    A subclass has `infer_outputs(self)`, `forward(self, training, inputs, outputs)`, which writes into the
    arrays of `outputs` and returns any state, and `backward(self, state, gradients, inputs, outputs,
    input_gradients)`, which writes into those arrays of `input_gradients` that are not None. All are tuples
    of arrays with rows first; numbers that are not there are None: gradients of outputs that have none, and
    inputs and outputs that backward does not ask for. Arrays keep their numbers until the run is over, and
    stay valid for whoever keeps them.

    Args:
        inputs (list): variables, functions or numbers
        name (str): of the function
        attributes (dict): shown as `attributes`
    """

    _style = 'slots'
    reads_inputs = False  # which inputs backward gets: True, or a truth value for each
    reads_outputs = False  # the same of outputs
    differentiable = True  # whether there is a backward

    def __new__(cls, *args, **kwargs):
        return _cantik.Function.__new__(cls)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        classes[cls.__module__, cls.__name__] = cls

    def __init__(self, inputs: Any, name: str = '', attributes: dict[str, Any] | None = None):
        self._user_name = name
        self._attributes = attributes
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        _cantik.become_user_function(self, inputs, self._style, name, self.op_name)

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The operands."""
        return _cantik.user_inputs(self)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._user_name

    @property
    def attributes(self) -> dict[Any, Any]:
        """What the constructor got as attributes."""
        return dict(self._attributes or {})

    @property
    def op_name(self) -> str:
        """The name of the operator: module and class."""
        return type(self)._op_name()

    @classmethod
    def _op_name(cls):
        return cls.__module__ + '.' + cls.__name__

    def infer_outputs(self) -> list[Variable]:
        """The outputs, as a list of output_variable(shape, dtype, dynamic_axes); asked for when something new
        is known of the inputs."""
        raise NotImplementedError('infer_outputs has to be overwritten')

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs."""
        raise NotImplementedError('forward has to be overwritten')

    def backward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes gradients of the inputs."""
        raise NotImplementedError('backward has to be overwritten')

    def clone(self, cloned_inputs: Sequence[Any]) -> Function:
        """The same function of other inputs: the class called with them and the name. Override it where the
        constructor takes other arguments."""
        return type(self)(*listed(cloned_inputs, 'cloned_inputs'), name=self.name)

    def serialize(self) -> dict[Any, Any]:
        """A dictionary of what a file has to know of it: numbers, texts, lists, dictionaries, arrays.

        Files have arrays of float16, float32, float64, int8 and int16: other arrays come back as real numbers
        that are equal, and integers beyond 2**53 are an error."""
        return {}

    @staticmethod
    def deserialize(inputs: Any, name: str, state: Any) -> Function:
        """Makes the function that a file describes; a static method of the class.

        Args:
            inputs (list): variables
            name (str): of the function
            state (dict): what serialize gave
        """
        raise NotImplementedError('deserialize has to be overwritten for a user function to be loaded')

    def __str__(self):
        return super().__str__().replace('UserFunction(', self.op_name + '(', 1)


class UserFunction(PythonOperator):
    """A function of a network that is written in Python: a subclass with forward, backward and infer_outputs.

    `forward(self, argument, device, outputs_to_retain)` returns a pair of any state and the result; of
    several inputs it gets a tuple. An operand is an array [batch, shape...] of its own, a list of arrays
    where there is a sequence axis, a CSR matrix where it is sparse. `backward(self, state, root_gradients)`
    returns the gradient of the input; of several inputs it has a further argument, a dictionary of those
    whose gradients are wanted, and sets its values (None stands for zero). A function of several outputs gets
    `forward(self, arguments, outputs, device, outputs_to_retain)`, sets the values of that dictionary and
    returns the state; its root_gradients are a dictionary.

    Pass it through user_function to use it as a network; as an operand of other functions it can stand as it
    is.

    Args:
        inputs (list): variables, functions or numbers
        as_numpy (bool): False gives Values over the network's own memory, without copies
        attributes (dict): shown as `attributes`
        name (str): of the function

    Example:
        >>> import cantik as C, numpy as np
        >>> class Square(C.UserFunction):
        ...     def __init__(self, x, name='square'):
        ...         super().__init__([x], name=name)
        ...
        ...     def infer_outputs(self):
        ...         x = self.inputs[0]
        ...         return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]
        ...
        ...     def forward(self, x, device=None, outputs_to_retain=None):
        ...         return x, x * x
        ...
        ...     def backward(self, x, root_gradients):
        ...         return 2 * x * root_gradients
        >>> x = C.input_variable(2, needs_gradient=True)
        >>> f = C.user_function(Square(x))
        >>> f.eval({x: np.array([[1, 3]], np.float32)}), f.grad({x: np.array([[1, 3]], np.float32)})
        (array([[1., 9.]], dtype=float32), array([[2., 6.]], dtype=float32))
    """

    def __init__(
        self, inputs: Any, as_numpy: bool = True, attributes: dict[str, Any] | None = None, name: str = ''
    ):
        self.as_numpy = as_numpy
        self._style = 'arrays' if as_numpy else 'values'
        super().__init__(inputs, name, attributes)


functions.UserFunction = UserFunction  # its home in CNTK
