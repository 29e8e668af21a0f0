# Written by tools/generate: signatures of the compiled module.
import typing
import numpy
import cantik.axis
import cantik.core
import cantik.ops.functions
import cantik.variables

"""Cantik's C++ library."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, overload

class ArgumentError(TypeError, ValueError):
    pass

class MissingError(KeyError):
    pass

class OutOfMemoryError(MemoryError, RuntimeError):
    pass

class ShapeError(ValueError, RuntimeError):
    pass

DataType_Unknown: int = 0

DataType_Float: int = 1

DataType_Double: int = 2

DataType_Float16: int = 4

DataType_Int8: int = 5

DataType_Int16: int = 6

InferredDimension: int = -1

FreeDimension: int = -3

def as_dtype(dtype: typing.Any | None) -> int:
    """The number of an element type."""

def dtype(dtype: typing.Any | None) -> typing.Any:
    """An element type as NumPy's."""

class Axis:
    """
    An axis of a value: a static one by its index, a dynamic one (batch, sequence) by its name.
    """

    @overload
    def __init__(self, static_axis_index: int) -> None: ...
    @overload
    def __init__(self, name: str, is_ordered: bool = True) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def is_static_axis(self) -> bool:
        """Whether it is one of the axes of a sample."""

    @property
    def is_ordered(self) -> bool:
        """
        Whether the order along it means something, as of the steps of a sequence.
        """

    @property
    def is_sequence_axis(self) -> bool: ...
    @property
    def is_batch_axis(self) -> bool: ...
    def is_dynamic_axis(self) -> bool: ...
    def static_axis_index(self, checked: bool = True) -> int: ...
    @staticmethod
    def default_batch_axis() -> Axis: ...
    @staticmethod
    def default_dynamic_axis() -> Axis: ...
    @staticmethod
    def all_static_axes() -> Axis: ...
    @staticmethod
    def all_axes() -> Axis: ...
    @staticmethod
    def default_input_variable_dynamic_axes() -> tuple: ...
    @staticmethod
    def unknown_dynamic_axes() -> tuple: ...
    @staticmethod
    def operand_sequence_axis() -> Axis: ...
    @staticmethod
    def new_unique_dynamic_axis(name: str) -> Axis: ...
    @staticmethod
    def new_leading_axis() -> Axis: ...
    @staticmethod
    def end_static_axis() -> Axis: ...
    def as_string(self) -> str: ...
    def __repr__(self) -> str: ...
    def __eq__(self, arg: typing.Any | None, /) -> bool: ...
    def __ne__(self, arg: typing.Any | None, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple: ...

class DeviceDescriptor:
    """Where values live and plans run."""

    def id(self) -> int:
        """Its number among the devices of its kind."""

    def type(self) -> int:
        """
        0 for the processor, 1 for a GPU, 2 for a device of another backend; compares with DeviceKind.
        """

    def is_locked(self) -> bool:
        """Whether a process holds it for itself; the processor never is."""

    def as_string(self) -> str: ...
    def __call__(self) -> object:
        """
        Itself: what a user function gets without copies has device() in CNTK, where other values have device.
        """

    def __repr__(self) -> str: ...
    def __eq__(self, arg: typing.Any | None, /) -> bool: ...
    def __ne__(self, arg: typing.Any | None, /) -> bool: ...
    def __hash__(self) -> int: ...
    @staticmethod
    def cpu_device() -> DeviceDescriptor: ...
    @staticmethod
    def gpu_device(device_id: int) -> DeviceDescriptor: ...
    @staticmethod
    def backend_device(backend: str, device_id: int = 0) -> DeviceDescriptor: ...
    @staticmethod
    def load_backend(path: str) -> list[DeviceDescriptor]: ...
    @staticmethod
    def all_devices() -> tuple: ...
    @staticmethod
    def use_default_device() -> DeviceDescriptor: ...
    @staticmethod
    def try_set_default_device(
        new_default_device: DeviceDescriptor, acquire_device_lock: bool = False
    ) -> bool: ...
    @staticmethod
    def set_excluded_devices(excluded_devices: Sequence[DeviceDescriptor]) -> None: ...
    @staticmethod
    def get_gpu_properties(device: DeviceDescriptor) -> None: ...
    def __copy__(self) -> object: ...

class NDArrayView:
    """
    A block of numbers, dense or with sparse rows. Copies of the object share the memory.
    """

    def __init__(
        self, shape: typing.Any, data_type: typing.Any, device: DeviceDescriptor | None = None
    ) -> None: ...
    @staticmethod
    def from_dense(
        np_array: typing.Any,
        device: DeviceDescriptor | None = None,
        read_only: bool = False,
        borrow: bool = False,
    ) -> cantik.core.NDArrayView:
        """From an array; with borrow=True its memory, without a copy."""

    @staticmethod
    def from_csr(
        csr_array: typing.Any,
        device: DeviceDescriptor | None = None,
        read_only: bool = False,
        borrow: bool = False,
        shape: typing.Any | None = None,
    ) -> cantik.core.NDArrayView:
        """From a SciPy CSR matrix; with borrow=True its memory, without a copy."""

    @staticmethod
    def from_data(
        data: typing.Any,
        device: DeviceDescriptor | None = None,
        read_only: bool = False,
        borrow: bool = False,
    ) -> cantik.core.NDArrayView: ...
    @staticmethod
    def from_dlpack(source: typing.Any) -> cantik.core.NDArrayView:
        """The memory of a PyTorch tensor, or of anything with __dlpack__."""

    @staticmethod
    def random_uniform_float(
        shape: typing.Any,
        range_start: float,
        range_end: float,
        seed: int | None = None,
        device: DeviceDescriptor | None = None,
    ) -> cantik.core.NDArrayView: ...
    @staticmethod
    def random_uniform_double(
        shape: typing.Any,
        range_start: float,
        range_end: float,
        seed: int | None = None,
        device: DeviceDescriptor | None = None,
    ) -> cantik.core.NDArrayView: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> typing.Any: ...
    @property
    def device(self) -> DeviceDescriptor: ...
    @property
    def is_sparse(self) -> bool: ...
    @property
    def is_read_only(self) -> bool: ...
    def get_data_type(self) -> int: ...
    def get_storage_format(self) -> int: ...
    def slice_view(
        self, start_offset: typing.Any, extent: typing.Any, read_only: bool = True
    ) -> cantik.core.NDArrayView:
        """A contiguous part; shares the memory."""

    def is_slice_view(self) -> bool: ...
    def as_shape(self, new_shape: typing.Any) -> cantik.core.NDArrayView:
        """The same memory under another shape."""

    def alias(self, read_only: bool = False) -> cantik.core.NDArrayView: ...
    def deep_clone(self, *args, **kwargs) -> cantik.core.NDArrayView: ...
    def copy_from(self, source: NDArrayView) -> None: ...
    def change_device(self, device: DeviceDescriptor) -> None: ...
    def set_value(self, value: typing.Any) -> None: ...
    def asarray(self) -> numpy.ndarray:
        """
        A copy as a NumPy array, or as a CSR matrix. numpy.asarray(view) is the memory itself.
        """

    def to_ndarray(self) -> numpy.ndarray: ...
    def as_string(self) -> str: ...
    def __repr__(self) -> str: ...
    def __array__(self, dtype: typing.Any | None = None, copy: bool | None = None) -> numpy.ndarray:
        """The memory itself, without a copy."""

    def __dlpack__(self, **kwargs) -> object: ...
    def __dlpack_device__(self) -> tuple: ...
    def __copy__(self) -> object: ...

class Value:
    """Data of a batch: rows, and how they belong to samples and sequences."""

    def __init__(
        self, batch: typing.Any, seq_starts: typing.Any | None = None, device: DeviceDescriptor | None = None
    ) -> None: ...
    @staticmethod
    def create(
        var: typing.Any,
        data: typing.Any | None,
        seq_starts: typing.Any | None = None,
        device: DeviceDescriptor | None = None,
        read_only: bool = False,
    ) -> cantik.core.Value:
        """
        A Value of data for the variable, which are copied: an array, or a list with an array, CSR matrix or NDArrayView for each sequence.

        Args:
            var: the variable
            data: the data
            seq_starts: a list with True for each sequence that begins, False for one that goes on with that of the last minibatch
            device: where it lives
            read_only: whether its memory may not be written
        """

    @staticmethod
    def one_hot(
        batch: typing.Any,
        num_classes: typing.Any,
        dtype: typing.Any | None = None,
        device: DeviceDescriptor | None = None,
    ) -> cantik.core.Value:
        """
        Sparse rows with a one at each index. A list of indices has a row each, a list of lists a sequence each.

        Args:
            batch: the indices; Value.ONE_HOT_SKIP leaves a row of zeros
            num_classes: how many classes, or a shape whose last axis counts them
            dtype: float32 by default
            device: where it lives
        """

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> typing.Any: ...
    @property
    def device(self) -> DeviceDescriptor: ...
    @property
    def is_sparse(self) -> bool: ...
    @property
    def is_read_only(self) -> bool: ...
    @property
    def is_valid(self) -> bool: ...
    @property
    def data(self) -> cantik.core.NDArrayView:
        """
        Its numbers as an NDArrayView; sequences of different lengths are padded with zeros.
        """

    @property
    def mask(self) -> numpy.ndarray:
        """
        int8 [sequences, longest]: 2 where a sequence begins, 1 where it goes on, 0 behind its end. Only values that need one have a mask.
        """

    def masked_count(self) -> int:
        """
        How many steps of the padded data lie behind the end of their sequence.
        """

    def __len__(self) -> int: ...
    def as_sequences(self, variable: typing.Any | None = None) -> list[typing.Any]:
        """
        A list of arrays or CSR matrices, one for each sequence: views of one block. Sparse values need the variable they are for.
        """

    def unpack_variable_value(self, variable: typing.Any, device: DeviceDescriptor | None = None) -> list:
        """A list of NDArrayViews, one for each sequence: views of one block."""

    def unpacked_variable_value(self, variable: typing.Any, device: DeviceDescriptor | None = None) -> list:
        """The same as unpack_variable_value."""

    def asarray(self) -> numpy.ndarray:
        """
        A copy of its numbers, [batch, shape...] or [sequences, longest, shape...] with zeros behind the end of a sequence; a sparse batch is a CSR matrix.
        """

    def __array__(self, dtype: typing.Any | None = None, copy: typing.Any | None = None) -> numpy.ndarray:
        """The memory itself, where no sequence has to be padded."""

    def alias(self, read_only: bool = False) -> cantik.core.Value:
        """The same memory."""

    def deep_clone(self, read_only: bool = False) -> cantik.core.Value:
        """A copy."""

    def copy_from(self, source: Value) -> None:
        """Takes over the numbers of a value of the same shape."""

    def erase(self) -> None: ...
    def get_data_type(self) -> int: ...
    def get_storage_format(self) -> int: ...
    def as_string(self) -> str: ...
    def __repr__(self) -> str: ...

    one_hot_skip: int = 4294967295

    def __copy__(self) -> object: ...

def value_for(
    variable: typing.Any, data_array: typing.Any, seq_starts: typing.Any | None = None
) -> cantik.core.Value:
    """Data as a Value for the variable."""

def arrays_of(value: Value, sequences: bool) -> object:
    """
    An array of samples, or a list with one for each sequence; CSR matrices of sparse rows.
    """

def of_stream(value: typing.Any) -> object:
    """
    The value itself, which from here on fits inputs whose samples have as many elements, in any shape.
    """

def as_sequence_or_array(value: Value, variable: typing.Any) -> typing.Any: ...

SentinelValueForInferParamInitRank: int = 2147483647

SentinelValueForAutoSelectRandomSeed: int = 18446744073709551613

DefaultParamInitScale: float = 1.0

class Initializer:
    """How a parameter gets its first values."""

    def __repr__(self) -> str: ...
    def __eq__(self, arg: typing.Any | None, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> object: ...

def initializer(
    kind: str,
    scale: float,
    output_rank: int = 2147483647,
    filter_rank: int = 2147483647,
    seed: int | None = None,
) -> Initializer: ...
def bilinear(kernel_width: int, kernel_height: int) -> Initializer: ...
def initializer_with_rank(
    initializer: typing.Any, output_rank: int | None = None, filter_rank: int | None = None
) -> Initializer: ...

class SeedSource:
    """Where seeds come from that a program does not name."""

def set_seed(seed: int) -> None: ...
def seed_source() -> SeedSource: ...
def set_seed_source(source: SeedSource) -> None: ...
def draw_seeds(network: Function) -> None: ...
def set_fixed_random_seed(seed: int) -> None: ...
def reset_random_seed(seed: int = 0) -> None: ...
def get_random_seed() -> int: ...
def is_random_seed_fixed() -> bool: ...
def generate_random_seed(workers: int = 1, rank: int = 0) -> int: ...

class Variable:
    """
    A value in a graph: an input, a parameter, a constant, a placeholder, or the output of a function.
    """

    def __hash__(self, /):
        """Return hash(self)."""

    def __lt__(self, value, /):
        """Return self<value."""

    def __le__(self, value, /):
        """Return self<=value."""

    def __eq__(self, value, /):
        """Return self==value."""

    def __ne__(self, value, /):
        """Return self!=value."""

    def __gt__(self, value, /):
        """Return self>value."""

    def __ge__(self, value, /):
        """Return self>=value."""

    @overload
    def __init__(
        self,
        kind: str,
        shape: typing.Any | None,
        init: typing.Any,
        dtype: typing.Any | None,
        device: DeviceDescriptor | None,
        name: str,
    ) -> None: ...
    @overload
    def __init__(
        self,
        shape: typing.Any,
        dtype: typing.Any | None,
        needs_gradient: bool,
        is_sparse: bool,
        dynamic_axes: typing.Any | None,
        name: str,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """
        The shape of a sample: a tuple; -1 where it is still to be inferred, -3 where it is free.
        """

    @property
    def dtype(self) -> typing.Any:
        """
        NumPy's type of the elements; as long as it is open, that of the constants among the operands.
        """

    @property
    def dynamic_axes(self) -> tuple[cantik.axis.Axis, ...]:
        """Its batch and sequence axes."""

    @property
    def name(self) -> str: ...
    @property
    def uid(self) -> str:
        """A name that no other variable of the process has."""

    @property
    def is_input(self) -> bool: ...
    @property
    def is_output(self) -> bool: ...
    @property
    def is_parameter(self) -> bool: ...
    @property
    def is_constant(self) -> bool: ...
    @property
    def is_placeholder(self) -> bool: ...
    @property
    def is_sparse(self) -> bool: ...
    @property
    def needs_gradient(self) -> bool: ...
    @property
    def owner(self) -> cantik.ops.functions.Function:
        """The function whose output it is."""

    @property
    def made_at(self) -> str:
        """File and line of the program that made it."""

    def kind(self) -> int: ...
    def has_batch_axis(self) -> bool: ...
    def has_sequence_axis(self) -> bool: ...
    def get_data_type(self) -> int: ...
    def is_initialized(self) -> bool: ...
    def current_value_time_stamp(self) -> int: ...
    def as_string(self) -> str: ...
    def __repr__(self) -> str: ...
    def get_value(self) -> cantik.core.NDArrayView: ...
    def set_value(self, value: typing.Any) -> None: ...
    def asarray(self) -> numpy.ndarray: ...
    def record_value_update(self) -> None: ...
    def clone_as(self, data_type: typing.Any) -> object: ...
    def __copy__(self) -> object: ...

def input_variable(
    shape: typing.Any,
    dtype: typing.Any,
    needs_gradient: bool,
    is_sparse: bool,
    dynamic_axes: typing.Any | None,
    name: str,
) -> cantik.variables.Variable: ...
def placeholder(
    shape: typing.Any | None, dynamic_axes: typing.Any | None, dtype: typing.Any | None, name: str
) -> cantik.variables.Variable: ...

class Function:
    """
    A graph that can be called: an operator applied to variables, a block of such, or a whole network.
    """

    @property
    def inputs(self) -> tuple[cantik.variables.Variable, ...]:
        """
        What it reads: of a network the leaves of its graph, of one of its functions the operands.
        """

    @property
    def outputs(self) -> tuple[cantik.variables.Variable, ...]: ...
    @property
    def output(self) -> cantik.variables.Variable:
        """Its only output."""

    @property
    def arguments(self) -> tuple[cantik.variables.Variable, ...]:
        """Inputs to be fed: input variables and placeholders."""

    @property
    def signature(self) -> tuple[cantik.variables.Variable, ...]:
        """
        The arguments in the order in which a call takes them; without those of functions that are being traced around it.
        """

    @property
    def parameters(self) -> tuple[cantik.variables.Parameter, ...]: ...
    @property
    def constants(self) -> tuple[cantik.variables.Constant, ...]: ...
    @property
    def placeholders(self) -> tuple[cantik.variables.Variable, ...]: ...
    @property
    def uid(self) -> str:
        """A name that no other function of the process has."""

    @property
    def op_name(self) -> str: ...
    @property
    def name(self) -> str: ...
    @name.setter
    def name(self, arg: str, /) -> None: ...
    def set_name(self, name: str) -> None: ...
    @property
    def root_function(self) -> cantik.ops.functions.Function:
        """The function that makes the output."""

    @property
    def is_primitive(self) -> bool:
        """Whether it is one operator or block."""

    @property
    def is_composite(self) -> bool:
        """Whether it is a network."""

    @property
    def is_block(self) -> bool:
        """Whether it is a network seen as one function."""

    @property
    def block_root(self) -> cantik.ops.functions.Function:
        """The root of what is inside a block."""

    @property
    def block_arguments_mapping(self) -> tuple:
        """Pairs of a placeholder inside a block and what it stands for outside."""

    @property
    def attributes(self) -> dict[str, typing.Any]: ...
    def set_attribute(self, name: str, value: typing.Any) -> None:
        """
        Changes an attribute that may change at any time: dropoutRate, rngSeed.
        """

    def as_string(self, do_not_infer_outputs: bool = True) -> str: ...
    def current_version(self) -> int: ...
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    def __hash__(self) -> int: ...
    def __eq__(self, arg: typing.Any | None, /) -> bool: ...
    def __ne__(self, arg: typing.Any | None, /) -> bool: ...
    def eval(
        self,
        arguments: typing.Any | None = None,
        outputs: typing.Any | None = None,
        device: DeviceDescriptor | None = None,
        as_numpy: bool = True,
        check_nan: bool = False,
    ) -> typing.Any:
        """
        Evaluates the function.

        Args:
            arguments: a dictionary from input variables or their names to data, or the data of the only argument
            outputs: the outputs wanted, all by default
            device: where to run, by default where try_set_default_device says
            as_numpy: False gives Values, which are over with the function's next run
            check_nan: an error names the first operator that makes a NaN; slower

        Returns:
            an array [batch, shape...] (a list of arrays where there is a sequence axis); of several different outputs a dictionary
        """

    def grad(
        self,
        at: typing.Any | None,
        wrt: typing.Any | None = None,
        outputs: typing.Any | None = None,
        device: DeviceDescriptor | None = None,
        as_numpy: bool = True,
        grad_root: typing.Any | None = None,
        check_nan: bool = False,
    ) -> typing.Any:
        """
        Gradients of the function's summed output.

        Args:
            at: the arguments, as eval takes them
            wrt: variables to differentiate by; by default the inputs that need a gradient
            outputs: outputs to compute with them
            device: where to run, by default where try_set_default_device says
            as_numpy: False gives Values
            grad_root: the output to differentiate where there are several
            check_nan: an error names the first operator that makes a NaN; slower

        Returns:
            an array, of several different variables a dictionary; a pair with the outputs if those were asked for
        """

    def forward(
        self,
        arguments: typing.Any | None,
        outputs: typing.Any | None = None,
        keep_for_backward: typing.Any | None = None,
        device: DeviceDescriptor | None = None,
        as_numpy: bool = True,
    ) -> typing.Any:
        """
        Evaluates the function and keeps what backward needs.

        Returns:
            the state for backward (None where nothing was to be kept), and a dictionary from outputs to values
        """

    def backward(
        self,
        state: BackPropState,
        root_gradients: typing.Any,
        variables: typing.Any | None,
        as_numpy: bool = True,
    ) -> typing.Any:
        """
        Gradients with respect to `variables`, from the state of a forward run and the gradients of its roots.

        Args:
            as_numpy: False gives Values, which are over with the function's next forward run

        Returns:
            a dictionary from variables to gradients
        """

    def session(self, streams: int = 1, outputs: typing.Any | None = None) -> Session:
        """
        A session: the model fed step by step, with what its recurrences carry kept in between.

        Args:
            streams: how many sequences it follows side by side
            outputs: the outputs wanted, all by default

        Returns:
            a Session
        """

    def __copy__(self) -> object: ...

def combine(operands: typing.Any, name: str = '') -> cantik.ops.functions.Function: ...
def as_block(
    composite: typing.Any, block_arguments_map: typing.Any, block_op_name: str, block_instance_name: str = ''
) -> cantik.ops.functions.Function: ...
def as_composite(root_function: typing.Any, name: str = '') -> cantik.ops.functions.Function: ...
def trace(code: typing.Any, arguments: Sequence[str], what: str) -> cantik.ops.functions.Function:
    """The network of what code does with placeholders of these names."""

def trace_block(
    code: typing.Any, arguments: Sequence[str], op_name: str, name: str
) -> cantik.ops.functions.Function: ...
def traverse(root: typing.Any, depth: int) -> list: ...
def set_operand_order(python: bool) -> None: ...
def allow_renaming_functions() -> None: ...

class BackPropState:
    """What a forward run leaves for backward."""

    def function(self) -> object: ...
    def device(self) -> DeviceDescriptor: ...

class Session:
    """
    A model fed as its input comes, a step or a few at a time. The results are those of whole sequences, bit for bit.

    Made by ``model.session(streams=1)``. Each stream is a sequence of its own. Models that look ahead or at whole sequences are refused.

    Example:
        >>> x = C.sequence.input_variable(1)
        >>> s = C.layers.Recurrence(lambda h, x: h + x)(x).session()
        >>> s.step([1.0]), s.step([2.0])
        (array([1.], dtype=float32), array([3.], dtype=float32))
        >>> s(np.array([[1.0], [1.0]])).tolist()
        [[4.0], [5.0]]
    """

    def __call__(self, x: typing.Any, streams: typing.Any | None = None) -> typing.Any:
        """
        The next steps of the streams.

        Args:
            x: an array [steps, shape...] for a single stream; for several a list with one for each, None where nothing has come,
             or an array [streams, steps, shape...]; of a model with several inputs a dictionary
            streams: which streams the data belong to, all by default

        Returns:
            the outputs of these steps, in the form of the data; of several outputs a dictionary
        """

    def step(self, x: typing.Any, streams: typing.Any | None = None) -> typing.Any:
        """
        One step of each stream.

        Args:
            x: an array [streams, shape...], or [shape...] for a single stream; of a model with several inputs a dictionary
            streams: which streams the rows belong to, all by default

        Returns:
            an array in the same form; of several outputs a dictionary
        """

    def reset(self, stream: typing.Any | None = None) -> None:
        """
        Streams begin anew.

        Args:
            stream: one, or a list of them; all by default
        """

    def select(self, streams: Sequence[int | None]) -> None:
        """
        Stream i goes on where stream streams[i] was, and there are as many as the list has: a search keeps its best hypotheses that way.

        Args:
            streams: numbers of streams, any of them several times; None: one that begins
        """

    def copy(self) -> Session:
        """Another session that stands where this one does."""

    @property
    def streams(self) -> int:
        """How many streams there are."""

    def __len__(self) -> int: ...

def call(op: str, operands: tuple, attributes: tuple, name: typing.Any = '') -> cantik.ops.functions.Function:
    """
    Applies an operator of the registry: operands, then attributes in the order of its signature.
    """

def operand(value: typing.Any, dtype: typing.Any) -> typing.Any: ...
def set_thread_limit(threads: int) -> None: ...
def thread_limit() -> int: ...
def operators() -> list:
    """All registered operators, as dictionaries."""

def operator(name: str) -> dict:
    """One of them."""

def load_operators(path: str) -> list[str]:
    """Loads a library of operators and returns their names."""

def register_native_user_function(op_id: str, module_name: str, factory_method_name: str) -> None: ...
def is_native_user_function_registered(op_id: str) -> bool: ...
def native_user_function(
    op_id: str, operands: typing.Any, attributes: typing.Any | None, name: str
) -> cantik.ops.functions.Function: ...
def layer(name: str, given: dict, scoped: dict, dtype: typing.Any | None) -> cantik.ops.functions.Function:
    """A layer by its name."""

def nce_loss(
    weights: typing.Any,
    biases: typing.Any,
    inputs: typing.Any,
    labels: typing.Any,
    noise_distribution: typing.Any,
    num_samples: int = 32,
    allow_duplicates: bool = True,
    seed: typing.Any | None = None,
    name: str = '',
) -> cantik.ops.functions.Function: ...
def hierarchical_softmax(
    input_var: typing.Any, label_index: typing.Any, label_dim: int, label_classes: int | None = None
) -> tuple: ...

class Profile:
    """Records runs until it is paused."""

    def __init__(self) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    @property
    def events(self) -> list:
        """Calls of kernels: (name, begin, end, thread), in nanoseconds."""

    @property
    def rows(self) -> list:
        """Sums by kernel: (name, calls, nanoseconds), the most expensive first."""

    @property
    def memory(self) -> int: ...
    @property
    def kept(self) -> int: ...
    @property
    def budget(self) -> int: ...
    def table(self) -> str: ...
    def trace(self) -> str:
        """The events in Chrome's form, JSON."""

def time_functions(on: bool) -> None: ...
def function_times() -> list:
    """
    What kernels took while functions were timed: (uid of the function, kernel, calls, nanoseconds).
    """

def set_checked_mode(on: bool) -> None: ...
def memory_in_use() -> int:
    """Bytes that tensors, results and runs hold now."""

def memory_peak() -> int:
    """The most bytes they have held since the last reset."""

def reset_memory_peak() -> None: ...
def cache_use() -> tuple:
    """
    What is kept from run to run: bytes, the budget for them, how many things have been dropped so far.
    """

def set_cache_budget(bytes: int) -> None: ...
def plans_compiled() -> int:
    """How many plans this process has made."""

def programs_made() -> int:
    """
    How many programs this process has made of its plans: one each, and one for each combination of free dimensions.
    """

def pass_names() -> list[str]:
    """The compiler's passes in their order."""

def switch_pass(name: str, on: bool) -> None:
    """Switches an optional pass off or on."""

def set_verification(on: bool) -> None:
    """Verifies the graph after each pass."""

def plan_reports(function: typing.Any, gradients: typing.Any | None = None) -> list:
    """
    What each pass makes of a function's graph: (pass, microseconds, text).
    """

def beam_search(
    step: typing.Any,
    states: typing.Any,
    context: typing.Any,
    vocabulary: int,
    start: int,
    end: int,
    max_length: int,
    beam: int,
    best: int,
    length_penalty: float,
) -> list:
    """For each sequence its best results, as pairs of symbols and a score."""

def summary(network: typing.Any) -> tuple:
    """A network's (rows, inputs, parameters, tensors, table)."""

def cost(network: typing.Any) -> tuple:
    """
    For each row: (operators, operations, bytes of parameters, bytes of values); of each operator its name, how many functions it has, and their operations.
    """

def plot_mermaid(network: typing.Any) -> str: ...
def plot_text(network: typing.Any) -> str: ...
def plot_dot(network: typing.Any) -> str: ...
def with_each_value(network: typing.Any, after: typing.Any) -> object:
    """A copy of a network with a function applied to each value."""

def check_gradient(
    function: typing.Any,
    arguments: typing.Any,
    wrt: typing.Any | None,
    step: typing.Any | None,
    tolerance: typing.Any | None,
    samples: int,
    seed: int,
) -> tuple:
    """
    Gradients against differences: the largest error of each variable, and the tolerance.
    """

def save_value(value: typing.Any | None, path: typing.Any | None) -> None:
    """Writes a value of a dictionary to a file."""

def load_dictionary(path: typing.Any | None) -> dict:
    """A dictionary from a file: of a model or a checkpoint."""

def load_value(path: typing.Any | None) -> typing.Any:
    """A value of a dictionary from a file."""

def save_safetensors(filename: typing.Any, tensors: typing.Any, metadata: Mapping[str, str]) -> None: ...
def load_safetensors(filename: typing.Any) -> tuple: ...
def load_function(
    model: typing.Any, device: DeviceDescriptor | None = None, onnx: bool = False
) -> cantik.ops.functions.Function: ...

class OutputsToRetain:
    """The outputs of a user function that a backward may ask about."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator: ...
    def __getitem__(self, index: int) -> object: ...
    def __contains__(self, variable: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...

def become_user_function(self: typing.Any, inputs: typing.Any, style: str, name: str, op_name: str) -> None:
    """Makes an operator of an object whose class is a UserFunction."""

def user_inputs(self: typing.Any) -> tuple:
    """
    The operands of a user function; while infer_outputs runs, with the sizes that are asked about.
    """

def output_variable(
    shape: typing.Any | None,
    dtype: typing.Any | None,
    dynamic_axes: typing.Any | None,
    needs_gradient: bool,
    name: str,
) -> cantik.variables.Variable: ...
def set_user_function_reader(reader: typing.Any) -> None:
    """reader(saved, inputs, name) makes functions of files, or gives None."""

def user_object(function: typing.Any) -> typing.Any:
    """The Python object behind a user function; None of others."""

def user_record(function: typing.Any) -> dict:
    """What a file says of a user function."""

class TrainingParameterSchedule:
    """
    A rate that changes as samples, or sweeps over the data, go by: s[n] is its value once n have been seen.
    """

    def __init__(
        self,
        values: typing.Any,
        minibatch_size: typing.Any | None = None,
        epoch_size: typing.Any | None = None,
    ) -> None: ...
    def __getitem__(self, arg: int, /) -> float: ...
    @property
    def minibatch_size(self) -> int:
        """The size of minibatch that its values are meant for; 0 stands for any."""

    @minibatch_size.setter
    def minibatch_size(self, arg: int, /) -> None: ...
    @property
    def epoch_size(self) -> int: ...
    @property
    def is_minibatch_size_explicitly_specified(self) -> bool: ...

    full_data_sweep: Final[int] = ...
    """(arg: object, /) -> int"""

    ignored_minibatch_size: Final[int] = ...
    """(arg: object, /) -> int"""

    def __repr__(self) -> str: ...
    def is_sweep_based(self) -> bool: ...
    def steps(self) -> list:
        """Pairs of the count up to which a value holds, and the value."""

    def transform(self, f: Callable) -> TrainingParameterSchedule: ...
    def __eq__(self, arg: typing.Any, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> object: ...

def cosine_schedule(
    rate: typing.Any | None, samples: typing.Any | None, options: dict
) -> TrainingParameterSchedule: ...
def warm_up(
    schedule: typing.Any | None, samples: typing.Any | None, options: dict
) -> TrainingParameterSchedule: ...
def momentum_as_time_constant(constants: TrainingParameterSchedule) -> TrainingParameterSchedule: ...

class ProgressWriter:
    """
    Counts, and calls its methods on_write_... when their time has come: derive from it to write anything.
    """

    def __init__(
        self,
        training_update_write_frequency: int = 9223372036854775807,
        training_first_updates_to_write: int = 0,
        test_update_write_frequency: int = 9223372036854775807,
        test_first_updates_to_write: int = 0,
        distributed_sync_update_write_frequency: int = 9223372036854775807,
        distributed_sync_first_updates_to_write: int = 0,
    ) -> None: ...
    def __disown__(self) -> object:
        """CNTK's way to hand a writer over; here both sides own it."""

    def update_training(self, arg0: int, arg1: float, arg2: float | None, /) -> None: ...
    def update_test(self, arg0: int, arg1: float, /) -> None: ...
    def write_training_summary(self) -> None: ...
    def write_test_summary(self) -> None: ...
    def write(self, key: str, value: float) -> None: ...
    def total_training_updates(self) -> int: ...
    def total_test_updates(self) -> int: ...
    def on_write_training_update(
        self,
        samples: tuple[int, int],
        updates: tuple[int, int],
        aggregate_loss: tuple[float, float],
        aggregate_metric: tuple[float, float],
    ) -> None: ...
    def on_training_update_end(self) -> None: ...
    def on_write_test_update(
        self, samples: tuple[int, int], updates: tuple[int, int], aggregate_metric: tuple[float, float]
    ) -> None: ...
    def on_write_distributed_sync_update(
        self, samples: tuple[int, int], updates: tuple[int, int], aggregate_metric: tuple[float, float]
    ) -> None: ...
    def on_write_training_summary(
        self,
        samples: int,
        updates: int,
        summaries: int,
        aggregate_loss: float,
        aggregate_metric: float,
        elapsed_milliseconds: int,
    ) -> None: ...
    def on_write_test_summary(
        self, samples: int, updates: int, summaries: int, aggregate_metric: float, elapsed_milliseconds: int
    ) -> None: ...
    def __copy__(self) -> object: ...

class ProgressPrinter(ProgressWriter):
    """Writes CNTK's log."""

    def __init__(self, options: dict) -> None: ...
    def log(self, message: typing.Any | None) -> None:
        """Prints a line, or writes it to the log file."""

    def end_progress_print(self, msg: str | None = '') -> None: ...
    @overload
    def write(self, key: str, value: float) -> None: ...
    @overload
    def write(self, key: str, value: typing.Any) -> None: ...
    def update(self, loss: float, minibatch_size: int, metric: float | None = None) -> None:
        """For loops of one's own: the averages of a minibatch."""

    def epoch_summary(self, with_metric: bool = False) -> typing.Any: ...
    def avg_loss_since_start(self) -> float: ...
    def avg_metric_since_start(self) -> float: ...
    def avg_loss_since_last(self) -> float: ...
    def avg_metric_since_last(self) -> float: ...
    def reset_start(self) -> tuple:
        """
        Begins the averages of an epoch anew. Returns those of before: of loss, metric, and the samples.
        """

    def reset_last(self) -> tuple:
        """
        Begins the averages of a line anew. Returns those of before: of loss, metric, and the samples.
        """

class TrainingSummaryProgressCallback(ProgressWriter):
    """
    Calls back at the end of each epoch with (its number, loss, metric, samples).
    """

    def __init__(self, epoch_size: int, callback: typing.Any) -> None: ...

class ProgressBar(ProgressWriter):
    """
    One line on the terminal that is drawn again and again while an epoch goes on.
    """

    def __init__(self, options: dict) -> None: ...

class TensorBoardWriter(ProgressWriter):
    """Writes for TensorBoard."""

    def __init__(self, log_dir: typing.Any | None, options: dict) -> None: ...
    def write_value(self, name: str, value: float, step: int) -> None:
        """
        A number at a step.

        Args:
            name: of the curve; names with a / are shown in groups
            value: the number
            step: where it is on the curve
        """

    def write_image(self, name: str, data: typing.Any, step: int) -> None:
        """
        Pictures at a step.

        Args:
            name: of them; each has the tag name/image/number
            data: an array [n, channels, height, width], blue first, with numbers from 0 to 255, or a dictionary from variables to such
            step: when they were made
        """

    def write_histogram(self, name: str, values: typing.Any, step: int) -> None:
        """
        The distribution of an array's numbers at a step. Not in CNTK.

        Args:
            name: of the picture
            values: the numbers, an array of any shape
            step: when they were so
        """

    def write_text(self, name: str, text: str, step: int = 0) -> None:
        """
        A text, in Markdown. Not in CNTK.

        Args:
            name: of it
            text: the text
            step: when it was written
        """

    def flush(self) -> None:
        """Brings onto the disk what has been written."""

    def close(self) -> None:
        """Ends the file. Writing behind that is a RuntimeError."""

    @property
    def path(self) -> object:
        """The file, or None in a worker that does not write."""

class Learner:
    """How parameters follow their gradients."""

    def update(self, gradient_values: dict, training_sample_count: int, is_sweep_end: bool = False) -> bool:
        """
        One step from the gradients of all parameters (summed over the samples). False: the rate is 0, nothing was done.
        """

    @property
    def parameters(self) -> list[cantik.variables.Parameter]:
        """The parameters that it changes."""

    def __repr__(self) -> str: ...
    def learning_rate(self) -> float:
        """The rate now."""

    def reset_learning_rate(self, learning_rate: typing.Any) -> None:
        """Another rate from now on, meant for the same minibatch size."""

    def reset_smoothed_gradients(self) -> None: ...
    @property
    def minibatch_size(self) -> int: ...
    @minibatch_size.setter
    def minibatch_size(self, arg: int, /) -> None: ...
    @property
    def is_minibatch_size_explicitly_specified(self) -> bool: ...
    def is_compatible_mode(self) -> bool:
        """
        Whether rates are meant for mean gradients, whatever the minibatch size is.
        """

    def total_number_of_samples_seen(self) -> int: ...
    def total_number_of_minibatches_seen(self) -> int: ...
    def total_number_of_sweeps_seen(self) -> int: ...
    def add_progress_writers(self, progress_writers: typing.Any) -> None: ...
    def create_checkpoint(self) -> dict:
        """Its state, as a dictionary."""

    def restore_from_checkpoint(self, checkpoint: typing.Any) -> None: ...
    def current_version(self) -> int:
        """The version of create_checkpoint's dictionary."""

    def set_need_to_update_master_parameter(self) -> None:
        """No effect: learners keep no second copy of parameters of float16."""

    ignored_minibatch_size: Final[int] = ...
    """(arg: object, /) -> int"""

    def __copy__(self) -> object: ...

def default_unit_gain_value() -> bool: ...
def set_default_unit_gain_value(value: bool) -> None: ...
def default_variance_momentum() -> TrainingParameterSchedule: ...
def learner(name: str, parameters: typing.Any, rate: TrainingParameterSchedule, options: dict) -> Learner: ...
def universal(arg0: Callable, arg1: typing.Any, /) -> Learner: ...
def universal_of(arg0: typing.Any, arg1: typing.Any, arg2: typing.Any, /) -> Learner: ...

class UserLearner(Learner):
    """A learner whose update is written in Python."""

    def __init__(
        self, parameters: typing.Any, lr_schedule: typing.Any, array_class: typing.Any | None
    ) -> None: ...
    def create_checkpoint(self) -> dict:
        """
        Its state, as a dictionary. A learner that remembers more overrides this, and adds its own.
        """

    def restore_from_checkpoint(self, checkpoint: typing.Any) -> None:
        """Goes on where create_checkpoint was called."""

    def reset_smoothed_gradients(self) -> None:
        """
        Forgets what it remembers of the gradients; there is nothing unless a learner overrides it.
        """

class WorkerDescriptor:
    """One of the processes that train together."""

    @property
    def global_rank(self) -> int:
        """Its number among all workers, from 0."""

    @property
    def m_global_rank(self) -> int:
        """The same, under the name of CNTK's binding."""

    @property
    def m_host_id(self) -> str:
        """Its machine, under the name of CNTK's binding."""

    @property
    def host_id(self) -> str:
        """Its machine."""

    def is_main(self) -> bool:
        """Whether it is the first, which writes files."""

    def __eq__(self, arg: WorkerDescriptor, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Workers:
    """What the processes that train together do together."""

    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def engine(self) -> str: ...
    @property
    def descriptors(self) -> list: ...
    def barrier(self) -> None: ...
    def sums(self, values: typing.Any, in_place: bool) -> list: ...
    def gather(self, dictionary: typing.Any) -> list: ...
    def concatenate(self, values: typing.Any) -> list: ...
    def sum_rows(self, values: typing.Any) -> list: ...
    def sub_group(self, ranks: Sequence[int]) -> Workers: ...

def workers() -> Workers: ...
def leave_workers(why: str = '') -> None: ...

class DistributedLearner(Learner):
    """
    A learner around a learner: the workers exchange what they have learned. Made by data_parallel_distributed_learner and block_momentum_distributed_learner.
    """

    @property
    def is_elastic(self) -> bool:
        """Whether the others go on without a worker that is lost."""

    @property
    def local_learner(self) -> Learner:
        """The learner that changes this worker's parameters."""

    def set_as_metric_aggregator(self) -> None:
        """Of several learners of a trainer this one tells losses and metrics."""

    def is_metric_aggregator(self) -> bool: ...
    def minibatch_size_scale_factor(self) -> int:
        """
        How many times as many samples as a schedule says a minibatch of all workers has.
        """

    def parallelization_after(self) -> int:
        """So many samples are learned without an exchange."""

    @property
    def total_number_of_samples_seen(self) -> int:
        """
        How many samples all workers have learned from, as far as this one knows.
        """

def data_parallel(
    learner: typing.Any | None,
    asynchronous: typing.Any | None,
    communicator: typing.Any | None,
    options: dict,
) -> DistributedLearner: ...
def block_momentum(
    learner: typing.Any | None, communicator: typing.Any | None, options: dict
) -> DistributedLearner: ...
def local_sgd(
    learner: typing.Any | None, communicator: typing.Any | None, options: dict
) -> DistributedLearner: ...

class Evaluator:
    """A metric over test data, minibatch by minibatch."""

    def __init__(
        self, eval_function: typing.Any | None, progress_writers: typing.Any | None = None
    ) -> None: ...
    def test_minibatch(
        self, arguments: typing.Any, device: DeviceDescriptor | None = None, distributed: bool = False
    ) -> float:
        """
        The metric's average over the samples of a minibatch; with `distributed` over the minibatches of all workers.
        """

    @property
    def evaluation_function(self) -> cantik.ops.functions.Function:
        """The metric."""

    def summarize_test_progress(self) -> None:
        """Tells the writers that the test is over."""

    def progress_writers(self) -> list: ...
    def __copy__(self) -> object: ...

class Trainer(Evaluator):
    """A model, a loss, learners; a minibatch at a time."""

    def __init__(
        self,
        model: typing.Any | None,
        loss: typing.Any | None,
        metric: typing.Any | None,
        learners: typing.Any,
        progress_writers: typing.Any | None = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def train_minibatch(
        self,
        arguments: typing.Any,
        outputs: typing.Any | None = None,
        device: DeviceDescriptor | None = None,
        is_sweep_end: typing.Any | None = None,
        check_nan: bool = False,
    ) -> typing.Any:
        """
        One step: forward, backward, update.

        Args:
            arguments: a dictionary from inputs or their names to data, or the data of the only one
            outputs: outputs wanted with it
            device: where to run
            is_sweep_end: whether the minibatch ends a sweep over the data

        Returns:
            True if parameters were updated; with `outputs` a pair of that and a dictionary from outputs to arrays
        """

    def test_minibatch(
        self, arguments: typing.Any, device: DeviceDescriptor | None = None, distributed: bool = False
    ) -> float:
        """
        The metric's average over the samples of a minibatch; with `distributed` over the minibatches of all workers.
        """

    def save_checkpoint(self, filename: typing.Any, external_state: typing.Any | None = None) -> None:
        """Everything needed to go on, in one file that load_model opens, too."""

    def restore_from_checkpoint(self, filename: typing.Any) -> dict:
        """
        Goes on where save_checkpoint was called.

        Returns:
            the external state that was saved with it
        """

    @property
    def model(self) -> cantik.ops.functions.Function:
        """The model."""

    @property
    def loss_function(self) -> cantik.ops.functions.Function:
        """The loss."""

    @property
    def parameter_learners(self) -> tuple[Learner, ...]:
        """The learners."""

    @property
    def previous_minibatch_loss_average(self) -> float:
        """The loss of the last minibatch, a sample."""

    @property
    def previous_minibatch_evaluation_average(self) -> float:
        """The metric of the last minibatch, a sample."""

    @property
    def previous_minibatch_sample_count(self) -> int:
        """How many samples the last minibatch had."""

    @property
    def total_number_of_samples_seen(self) -> int:
        """How many samples it was trained on."""

    def total_number_of_units_seen(self, unit: int = 1) -> int: ...
    def summarize_training_progress(self) -> None:
        """Tells the writers that an epoch is over."""

class Deserializer:
    """Data cut into chunks."""

    def samples(self, chunk_id: int) -> list[int]:
        """How many samples each sequence of a chunk has. The chunk is read."""

def ctf(
    path: str, streams: list, chunk_bytes: int, skip_sequence_ids: bool, max_errors: int, cache_index: bool
) -> Deserializer:
    """
    A file in CNTK's text format, with the streams (name, field, dim, sparse, defines_size).
    """

class Source:
    """Minibatches of streams."""

    def __init__(
        self,
        deserializers: Sequence[Deserializer],
        randomize: bool,
        seed: int,
        window_chunks: int,
        window_samples: int,
        max_samples: int | None,
        max_sweeps: int | None,
        truncation_length: int,
        frame_mode: bool,
        multithreaded: bool,
        balanced_shares: bool,
    ) -> None: ...
    def next(
        self, samples: int, sequences: int, partitions: int, partition: int, within_sweep: bool
    ) -> object: ...
    def minibatches_of_sweep(self, samples: int) -> int | None: ...
    def streams(self) -> list: ...
    def state(self) -> dict: ...
    def restore(self, state: typing.Any) -> None: ...
    def restore_from_workers(self, states: list, number_of_workers: int, worker_rank: int) -> None: ...
    def is_infinite(self) -> bool: ...
    def take_warnings(self) -> list[str]: ...

def cbf(path: str, streams: list) -> Deserializer:
    """
    A file in CNTK's binary format, with the streams (name, field) under names of the program's.
    """

def write_cbf(path: str, data: Sequence[Deserializer], chunk_bytes: int) -> None:
    """Writes the sequences of deserializers in CNTK's binary format."""

def write_ctf(path: str, data: Sequence[Deserializer]) -> None:
    """Writes the sequences of deserializers in CNTK's text format."""

def htk_features(script: str, name: str, dim: int, left: int, right: int, broadcast: bool) -> Deserializer:
    """Features of the utterances that a script file lists."""

def htk_labels(
    files: Sequence[str], name: str, dim: int, names: str, phone_boundaries: bool, max_errors: int
) -> Deserializer:
    """Labels from master label files in text."""

def htk_labels_binary(files: Sequence[str], name: str, dim: int, max_errors: int) -> Deserializer:
    """Labels from binary master label files."""

def htk_lattices(index: str, name: str) -> Deserializer:
    """Lattices of the tables of contents that a file lists."""

def user_deserializer(
    self: typing.Any, stream_infos: list, num_chunks: int, changes: bool, lengths: typing.Any | None
) -> Deserializer:
    """What a UserDeserializer of Python brings."""

def images(
    kind: str,
    path: str,
    image: str,
    label: str,
    classes: int,
    transforms: list,
    grey: bool,
    reduced: bool,
    crop_alone: bool,
    chunk_bytes: int,
    max_errors: int,
    seed: int,
) -> Deserializer:
    """
    Pictures that a file names ('map'), that are inside one ('base64'), or in a folder for each class ('folder').
    """

def decode_image(data: bytes, channels: int = 3) -> object:
    """
    The pixels of a JPEG or PNG file in memory.

    Args:
        data: the bytes of the file
        channels: 3, blue first, or 1 for grey ones

    Returns:
        an array [height, width, channels] of float32
    """

class Callback:
    """
    What a training calls while it goes on: derive from it, and override what is wanted.

    Checkpoints keep what its method `state` gives, and `restore` takes it over.

    Example:
        >>> import cantik as C
        >>> class Enough(C.train.Callback):
        ...     def on_epoch_end(self, session, record):
        ...         if record.loss < 0.1:
        ...             session.end()
        >>> enough = Enough()
    """

    def __init__(self) -> None: ...
    def on_training_start(self, session: typing.Any) -> None:
        """Before the first minibatch; a checkpoint has been restored."""

    def on_training_end(self, session: typing.Any) -> None:
        """
        After the last minibatch and checkpoint, before the test; not of a training that was interrupted.
        """

    def on_minibatch_start(self, session: typing.Any) -> None:
        """Before a minibatch is asked for."""

    def on_minibatch_end(self, session: typing.Any) -> None:
        """After it has been trained on."""

    def on_epoch_end(self, session: typing.Any, record: typing.Any) -> None:
        """
        After an epoch, with its record. Numbers that are added to it are seen by the callbacks after this one.
        """

    def on_checkpoint_start(self, session: typing.Any, index: int) -> None:
        """Before a checkpoint is taken."""

    def on_checkpoint_end(self, session: typing.Any, index: int) -> None:
        """
        Once its file is there: of one that is written in the background after a later minibatch.
        """

    def on_cross_validation_start(self, session: typing.Any, index: int) -> None:
        """Before a cross-validation."""

    def state(self) -> dict:
        """What checkpoints keep of it, as a dictionary."""

    def restore(self, state: typing.Any) -> None:
        """Takes over what `state` gave."""

class EarlyStopping(Callback):
    """Ends a training that no longer gets better."""

    def __init__(self, options: dict) -> None: ...
    @property
    def best_epoch(self) -> int | None:
        """The best epoch, counted from 1; None before the first one."""

    @property
    def best(self) -> float:
        """What the monitored entry was in the best epoch."""

class ReduceOnPlateau(Callback):
    """Reduces rates where a training no longer gets better."""

    def __init__(self, options: dict) -> None: ...

class GradientNorm(Callback):
    """The norm of gradients in the log."""

    def __init__(self, options: dict) -> None: ...

class Throughput(Callback):
    """Samples a second in the log."""

    def __init__(self) -> None: ...

def npy(streams: list, chunk_bytes: int) -> Deserializer:
    """Arrays in NumPy's files, as the streams (name, path, classes)."""

def arrays_of_npz(path: str) -> list:
    """The arrays of a file.npz: (name, path)."""

def csv(
    path: str,
    streams: list,
    separator: str,
    header: bool,
    missing: float | None,
    chunk_bytes: int,
    max_errors: int,
) -> Deserializer:
    """A text with columns, as the streams (name, columns, classes, labels)."""

class TrainingSession:
    """A training loop over a source of minibatches."""

    def __init__(self, trainer: typing.Any, source: typing.Any, options: dict) -> None: ...
    def train(self, device: DeviceDescriptor | None = None) -> None: ...
    @property
    def trainer(self) -> object:
        """The trainer."""

    def end(self) -> None:
        """The training ends after this minibatch, as if its data had ended."""

    def interrupt(self) -> None:
        """
        The training ends after this minibatch, with a checkpoint where one is configured, from which the next one goes on.
        """

    @property
    def is_ended(self) -> bool:
        """Whether `end` ended the training."""

    @property
    def is_interrupted(self) -> bool:
        """Whether `interrupt` ended the training."""

    def write(self, name: str, value: float) -> None:
        """Tells the progress writers a number by its name."""

    def restore_from_checkpoint(self, filename: str) -> None: ...

class TrainingPlan:
    """How long a training on a source goes on."""

    def __init__(self, source: typing.Any, config: dict) -> None: ...
    @property
    def updates_every(self) -> int:
        """Minibatches of a window that is measured."""

    def session(self, trainer: typing.Any) -> TrainingSession:
        """The session of a trainer that trains as planned."""

class TrainingCollector(ProgressWriter):
    """Keeps what a training measures."""

    def __init__(self, every: int) -> None: ...
    @property
    def updates(self) -> tuple: ...
    @property
    def epochs(self) -> tuple: ...
    @property
    def test(self) -> object: ...

def find_learning_rate(trainer: typing.Any, source: typing.Any, options: dict) -> object: ...
def test_over(metric: typing.Any, source: typing.Any, options: dict, once: bool) -> tuple:
    """
    The average of the metric over a source up to its end, or over arrays once.
    """

def set_class(name: str, type: typing.Any) -> None: ...
def set_package_folder(folder: str) -> None: ...
