"""Functions: networks as objects, and Python functions as networks."""

from __future__ import annotations

import collections
import copyreg
from typing import TYPE_CHECKING, Any, overload

from .. import _cantik
from .._bases import mixed_with
from .._network_picture import network_svg
from .._checks import dictionary, flag, path as path_of, refused, text
from ..summaries import Summary
from ..tensor import TensorOpsMixin, _index
from ..variables import VariableMixin
from ._annotations import annotated, check_types, input_of, type_of
from ._applied import applied
from ._custom_attributes import CustomAttributes
from ._formats import CloneMethod, ModelFormat, check_format, clone_method, format_of
from ._native_user_functions import native_user_function, register_native_user_function
from ._node_times import print_node_timing
from ._tracing import trace
from ._user_records import plain, register_udf_deserialize_callback
from .native_functions import NativeFunctions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .. import _training_methods
    from .._cantik import DeviceDescriptor
    from .._types import PathLike, VariableLike
    from ..variables import Record, Variable
    from .python_functions import UserFunction as UserFunction

__all__ = [
    'BlockFunction',
    'CloneMethod',
    'Function',
    'ModelFormat',
    'UserFunction',
    'load_model',
    'native_user_function',
    'register_native_user_function',
]


if TYPE_CHECKING:

    class _Base(TensorOpsMixin, _cantik.Function):
        pass
else:
    _Base = _cantik.Function


@mixed_with(NativeFunctions, TensorOpsMixin)
class Function(_Base):
    """A network, or one of its functions. Called with variables or functions it gives a network, with data it
    evaluates.

    As a decorator it makes a network of a Python function, whose arguments become placeholders:

    Example:
        >>> import cantik as C
        >>> @C.Function
        ... def f(x):
        ...     return C.relu(x) * 2
        >>> f([[-1, 2]]) if f.update_signature(2) is None else None
        array([[0., 4.]], dtype=float32)
    """

    def __new__(cls, *args, **kwargs):
        if args and callable(args[0]) and not isinstance(args[0], _cantik.Function):
            return trace(*args, **kwargs)
        raise TypeError(
            'Function is a decorator of Python functions, got {}'.format(
                ', '.join(type(a).__name__ for a in args) or 'nothing'
            )
        )

    def __init__(self, *args: Any, **kwargs: Any):
        pass

    # ---- calls

    def argument_map(self, *args: Any, **kwargs: Any) -> dict[Variable, Any]:
        """What a call with these arguments binds, as a dictionary from placeholders and inputs to what was
        passed."""
        params = self.signature
        if len(args) + len(kwargs) != len(params):
            raise TypeError(
                f'CNTK Function expected {len(params)} arguments, got '
                f'{len(args) + len(kwargs)}{self._arguments_remedy(params)}'
            )
        bound = dict(zip(params, args))
        by_name = {p.name: p for p in params if p.name}
        for name, value in kwargs.items():
            if name not in by_name:
                raise TypeError(f"got an unexpected keyword argument '{name}'")
            if by_name[name] in bound:
                raise SyntaxError(f"got multiple values for argument '{name}'")
            bound[by_name[name]] = value
        return bound

    def _arguments_remedy(self, params):
        names = ', '.join(p.name or p.uid for p in params)
        remedy = '\n  remedy   its arguments are: ' + (names or 'none')
        if self.root_function.op_name in ('LSTM', 'GRU', 'RNNStep') and len(params) > 1:
            remedy += (
                '. It is one step of a recurrence: '
                f'Recurrence({self.root_function.op_name}(...))(x) applies it along a sequence'
            )
        return remedy

    if TYPE_CHECKING:
        # Of the only output: see __getattr__.
        shape: tuple[int, ...]
        dtype: Any
        dynamic_axes: tuple[Any, ...]
        is_sparse: bool
        needs_gradient: bool

        # Of variables and functions a function, of data numbers.
        @overload
        def __call__(
            self,
            *args: _cantik.Variable | _cantik.Function,
            **kwargs: _cantik.Variable | _cantik.Function,
        ) -> Function: ...
        @overload
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self.argument_map(*args, **kwargs)
        variables = [isinstance(v, (_cantik.Variable, _cantik.Function)) for v in bound.values()]
        if bound and all(variables):
            check_types(bound)
            return self.clone(CloneMethod.share, bound)
        if not bound and self.arguments:  # those of a function that is being traced around it
            return self
        if any(variables):
            name = next(
                p.name for p, v in bound.items() if not isinstance(v, (_cantik.Variable, _cantik.Function))
            )
            raise TypeError(f'argument {name} was passed an object that is not a Variable or Function')
        for parameter, value in bound.items():
            if parameter.is_placeholder:
                raise refused(
                    'the argument ' + (parameter.name or parameter.uid),
                    'a Variable or a Function: its type is open',
                    value,
                )
        values = self.eval(bound)
        if len(self.outputs) == 1:
            return values
        return tuple(values[output] if isinstance(values, dict) else values for output in self.outputs)

    def update_signature(self, *arg_types: Any, **kwarg_types: Any) -> None:
        """Gives types to the placeholders: shapes, types of cantik.layers.typing, or variables."""
        types = self.argument_map(*arg_types, **kwarg_types)
        bindings = {}
        for param, kind in types.items():
            if isinstance(kind, _cantik.Variable):
                kind = {key: value for key, value in VariableMixin._type.fget(kind).items() if key != 'name'}
            else:
                kind = type_of(kind)
            if 'shape' not in kind:
                raise refused('the type of ' + param.name, 'a shape, or a type such as Tensor[3]', kind)
            if param.is_placeholder:
                bindings[param] = input_of(param.name, kind)
            else:
                shape = kind.get('shape')
                shape = shape if isinstance(shape, tuple) else (shape,)
                if param.shape != shape:
                    raise TypeError(f'the argument {param} has the shape {param.shape} already, not {shape}')
        if bindings:
            self.replace_placeholders(bindings)

    def declare_args(self, *arg_types: Any) -> None:
        """Gives types to the placeholders, in place; the same as update_signature."""
        self.update_signature(*arg_types)

    def __rshift__(self, other):
        """f >> g: first f, then g, with the results of f as its arguments. A tuple (g, h): each with one of
        several results, or all with the only one."""
        result = applied(other, self)
        return _cantik.combine(result) if isinstance(result, tuple) else result

    def __lshift__(self, other):
        """f << g: first g, then f."""
        return self(other)

    def __getitem__(self, arg) -> Any:
        # Of several outputs the index chooses one; of one it slices.
        if self.outputs and len(self.outputs) > 1:
            return self.outputs[arg]
        return _index(self, arg)

    def __bool__(self):
        comparisons = ('Less', 'LessEqual', 'Greater', 'GreaterEqual')
        if (
            self.is_composite and self.root_function.op_name in comparisons
        ):  # x < y; not the owner of an output
            raise TypeError(
                'a comparison of variables is neither true nor false: it is a function, whose values are '
                'known once it is evaluated\n'
                '  remedy   use element_select(condition, a, b) in a network, or compare the arrays that '
                'eval gives'
            )
        return True

    def __iter__(self):
        outputs = self.outputs
        if len(outputs) > 1:
            return iter(outputs)
        raise TypeError("'Function' object is not iterable: it has one output")

    def __getattr__(self, name):
        # Attributes of the only output, then functions, parameters and inputs by their names.
        if name.startswith('__'):
            raise AttributeError(name)
        outputs = self.outputs
        if name in _OF_OUTPUT and len(outputs) == 1:
            return getattr(outputs[0], name)
        found = (self.block_root if self.is_block else self).find_by_name(name)
        if found is not None:
            return found
        if name in _OF_OUTPUT:
            raise AttributeError(
                f"'{name}' is an attribute of outputs, and the function has {len(outputs)} of them\n"
                f'  remedy   ask one of them: .outputs[0].{name}'
            )
        raise AttributeError(f"the function has no attribute, and nothing in it is named, '{name}'")

    def __dir__(self):
        """Attributes, and the names that reach a function, parameter or input of the network: z.dense1,
        z.W."""
        nodes = _cantik.traverse(self.block_root if self.is_block else self, 0)
        counts = collections.Counter(node.name for node in nodes if node.name.isidentifier())
        return sorted({*super().__dir__(), *(name for name, count in counts.items() if count == 1)})

    def _repr_html_(self):
        return network_svg(self) or Summary(self)._repr_html_()

    def print_node_timing(self) -> None:
        """Prints the average time of each function of the network since `debugging.set_node_timing(True)`;
        `with cantik.profile()` shows more."""
        print_node_timing(self)

    # ---- graphs

    def clone(self, method: CloneMethod | str, substitutions: Mapping[Any, Any] | None = None) -> Function:
        """A copy of the network.

        Args:
            method: 'share' keeps the parameters, 'clone' copies them, 'freeze' makes constants of them
            substitutions (dict): what other variables or functions take the place of which

        Returns:
            the copy; placeholders and inputs that are not substituted are new ones of the same name
        """
        return self._clone(clone_method(method), substitutions or None)

    def clone_flattened(self, method: CloneMethod | str = CloneMethod.share) -> Function:
        """A copy of the network without blocks: what is in them takes their place.

        Args:
            method: as of `clone`; also one of the numbers `cntk_py.ParameterCloningMethod_Share`, `_Clone`,
              `_Freeze`

        Returns:
            the copy; its inputs are new ones of the same name

        Example:
            >>> import cantik as C
            >>> z = C.layers.Dense(2, activation=C.tanh)(C.input_variable(3))
            >>> z.root_function.op_name, z.clone_flattened().root_function.op_name
            ('Dense', 'Tanh')
        """
        if isinstance(method, int) and not isinstance(method, bool) and 0 <= method < len(CloneMethod):
            method = list(CloneMethod)[method]
        return self._clone_flattened(clone_method(method))

    def replace_placeholders(self, substitutions: Mapping[Any, Any]) -> Function:
        """Binds placeholders, in place.

        Args:
            substitutions (dict): from placeholders to variables or functions

        Returns:
            the function itself
        """
        self._replace_placeholders(substitutions)
        return self

    def replace_placeholder(self, substitution: VariableLike) -> Function:
        """Binds the only placeholder, in place."""
        places = self.placeholders
        if len(places) != 1:
            raise ValueError(f'the function has {len(places)} placeholders, not one')
        return self.replace_placeholders({places[0]: substitution})

    def find_all_with_name(self, name: str, depth: int = 0) -> list[Any]:
        """All functions, parameters and inputs of this name; `depth` blocks deep, -1 for all."""
        text(name, 'name')
        return [node for node in _cantik.traverse(self, depth) if node.name == name]

    def find_by_name(self, name: str, depth: int = 0) -> Any:
        """The function, parameter or input of this name, None if there is none; a ValueError if there are
        several."""
        found = self.find_all_with_name(name, depth)
        if len(found) > 1:
            raise ValueError(
                f'found multiple functions matching "{name}". If that was expected call find_all_with_name'
            )
        return found[0] if found else None

    @property
    def type(self) -> Record:
        """The type of the output."""
        return self.output._type

    @property
    def custom_attributes(self) -> CustomAttributes:
        """A dictionary of the user's own, kept with the function in files: numbers, texts, lists,
        dictionaries, arrays."""
        return CustomAttributes(self, plain(self._custom_attributes()))

    @custom_attributes.setter
    def custom_attributes(self, values: Any):
        self._set_custom_attributes(dictionary(values, 'custom_attributes'))

    def get_custom_attributes(self) -> CustomAttributes:
        """The same as custom_attributes."""
        return self.custom_attributes

    def reset_custom_attributes(self) -> None:
        """Forgets them all."""
        self._set_custom_attributes({})

    if TYPE_CHECKING:  # of a later module, which gives them to the class
        train = _training_methods.train
        test = _training_methods.test

    # ---- files

    def save(
        self,
        filename: Any,
        format: ModelFormat | None = None,
        use_external_files_to_store_parameters: bool = False,
    ) -> None:
        """Writes the network in CNTK's format or in ONNX's, to a file or into a file object.

        The old file of a path stays until the new one is complete. CNTK 2.7 writes its own format under any
        name, and other programs cannot read such an x.onnx: here the name says the format, where nothing else
        does.

        Args:
            filename: a path, or an object with `write` that takes bytes: an open binary file, `io.BytesIO`
            format: ModelFormat.CNTKv2 or ModelFormat.ONNX; None is ONNX for a path that ends in .onnx, and
              else CNTKv2
            use_external_files_to_store_parameters (bool): of ONNX, parameters go to a second file, named
              like the first one with .data behind it

        Example:
            >>> import cantik as C, io
            >>> buffer = io.BytesIO()
            >>> C.layers.Dense(2)(C.input_variable(3)).save(buffer)
            >>> _ = buffer.seek(0)
            >>> C.load_model(buffer).shape
            (2,)
        """
        external = flag(use_external_files_to_store_parameters, 'use_external_files_to_store_parameters')
        onnx = format_of(filename, format) is ModelFormat.ONNX
        if hasattr(filename, 'write'):
            if onnx and external:
                raise ValueError('a file object has no second file beside it for the parameters: give a path')
            filename.write(self._to_onnx() if onnx else self._to_bytes())
        elif onnx:
            self._save_onnx(path_of(filename, 'filename'), external)
        else:
            self._save(path_of(filename, 'filename'))

    @staticmethod
    def load(
        model: Any, device: DeviceDescriptor | None = None, format: ModelFormat = ModelFormat.CNTKv2
    ) -> Function:
        """A network from a file, from bytes, or from what a file object has left to read.

        Args:
            model: a path, bytes, or an object with `read` that gives bytes: an open binary file, `io.BytesIO`
            device: where its parameters are to live
            format: ModelFormat.CNTKv2, also for files of ONNX, which are known by what is in them;
              ModelFormat.ONNX reads one as CNTK 2.7 does: every axis of the file is a static axis, open sizes
              are free, and a batch that was written here has the size 1
        """
        check_format(format)
        if hasattr(model, 'read'):
            model = model.read()
            if not isinstance(model, bytes):
                raise TypeError(
                    f'a model is read from a binary file, and this one gave {type(model).__name__}: '
                    'open it with mode "rb"'
                )
        elif isinstance(model, (bytearray, memoryview)):
            model = bytes(model)
        elif hasattr(model, '__fspath__'):
            model = path_of(model, 'model')
        return _cantik.load_function(model, device, format is ModelFormat.ONNX)

    def restore(self, filename: PathLike) -> None:
        """Parameters and constants from a saved file of the same network, in place.

        A ValueError where the file's network has other inputs, parameters, constants or outputs: in number,
        order, name, type or shape."""
        self._restore(path_of(filename, 'filename'))

    def serialize(
        self,
    ) -> (
        dict[Any, dict[Any, Any] | list[dict[Any, Any] | list[Any]]]
        | list[dict[Any, dict[Any, Any] | list[Any]] | list[Any]]
    ):
        """Of a user function: what a file says of it, a dictionary with its class, module, op_name and
        state."""
        return plain(_cantik.user_record(self))

    def __reduce__(self):
        return Function.load, (self._to_bytes(),)

    # ---- tracing

    @staticmethod
    def with_signature(*args: Any, **kwargs: Any) -> Callable[..., Function]:
        """A decorator that makes a network of a Python function with these types for its arguments."""
        return lambda f: Function(annotated(f, args, kwargs))

    @staticmethod
    def register_udf_deserialize_callback(op_name: str, callback: Callable[..., Any]) -> None:
        """What makes user functions of this op_name when files are loaded, in place of their class: called
        with (inputs, name, state)."""
        register_udf_deserialize_callback(op_name, callback)


# Pools of processes take `z.eval`: bound methods of the binding are pickled as Python's own are.
copyreg.pickle(
    type(Function.eval.__get__(object())), lambda bound: (getattr, (bound.__self__, bound.__name__))
)

_OF_OUTPUT = frozenset(
    (
        'as_constant',
        'as_parameter',
        'current_value_time_stamp',
        'get_value',
        'is_initialized',
        'shape',
        'dtype',
        'axes',
        'dynamic_axes',
        'is_sparse',
        'needs_gradient',
        'is_constant',
        'is_input',
        'is_output',
        'is_parameter',
        'is_placeholder',
        'owner',
        'kind',
        'has_batch_axis',
        'has_sequence_axis',
        'get_data_type',
        'made_at',
        '_type',
    )
)

_cantik.set_class('Function', Function)


def BlockFunction(op_name: str, name: str) -> Callable[..., Function]:
    """A decorator: makes a block of a Python function, a network that is seen as one function.

    Args:
        op_name (str): what kind of block it is
        name (str): its own name

    Example:
        >>> import cantik as C
        >>> @C.BlockFunction('Twice', 'twice')
        ... def twice(x):
        ...     return 2 * x
        >>> twice(C.input_variable(2)).shape
        (2,)
    """
    return lambda f: trace(f, op_name, name)


def load_model(
    model: Any, device: DeviceDescriptor | None = None, format: ModelFormat = ModelFormat.CNTKv2
) -> Function:
    """A network from a file, from bytes, or from what a file object has left to read.

    Args:
        model: a path, bytes, or an object with `read` that gives bytes: an open binary file, `io.BytesIO`
        device: where its parameters are to live
        format: as in `Function.load`

    Example:
        >>> import cantik as C, numpy as np
        >>> C.layers.Dense(2)(C.input_variable(3)).save('m.model')
        >>> z = C.load_model('m.model')
        >>> z.eval(np.ones((1, 3), np.float32)).shape
        (1, 2)
    """
    return Function.load(model, device, format)
