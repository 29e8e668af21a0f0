"""Settings of the process that CNTK's programs make through its binding. A setting that has no effect here
says why."""

import sys

from .. import _cantik, debugging, logging
from .._version import __version__, cantik_version

__all__ = [
    'always_allow_setting_default_device',
    'disable_cpueval_optimization',
    'disable_forward_values_sharing',
    'disable_gradient_accumulation_optimization',
    'disable_node_timeing',
    'disable_profiler',
    'enable_cpueval_optimization',
    'enable_forward_values_sharing',
    'enable_gradient_accumulation_optimization',
    'enable_node_timing',
    'enable_profiler',
    'enable_reversing_tensor_shapes_in_error_messages',
    'enable_synchronous_gpukernel_execution',
    'force_deterministic_algorithms',
    'get_max_num_cputhreads',
    'get_mpipack_threshold',
    'get_trace_level',
    'is_synchronous_gpukernel_execution_enabled',
    'print_built_info',
    'set_automatic_unpacking_of_packed_values',
    'set_computation_network_trace_level',
    'set_gpumemory_allocation_trace_level',
    'set_math_lib_trace_level',
    'set_max_num_cputhreads',
    'set_mpipack_threshold',
    'set_trace_level',
    'should_force_deterministic_algorithms',
    'should_use_sparse_gradient_aggregation_in_data_parallel_sgd',
    'start_profiler',
    'stop_profiler',
    'use_sparse_gradient_aggregation_in_data_parallel_sgd',
]

_kept = {'mpi pack threshold': 32 * 1024, 'sparse gradients': False, 'synchronous GPU': False}


# ---- threads, seeds, devices


def set_max_num_cputhreads(n):
    """At most so many threads for a run."""
    _cantik.set_thread_limit(n)


def get_max_num_cputhreads():
    """How many threads a run may use."""
    return _cantik.thread_limit()


def force_deterministic_algorithms():
    """Runs repeat bit for bit anyway."""


def should_force_deterministic_algorithms():
    """Whether runs repeat bit for bit: always."""
    return True


def always_allow_setting_default_device():
    """Nothing forbids it."""


# ---- ways to run, of which the compiler chooses here


def enable_cpueval_optimization():
    """No effect: evaluation is compiled for the processor in any case."""


def disable_cpueval_optimization():
    """No effect: evaluation is compiled for the processor in any case."""


def enable_forward_values_sharing():
    """No effect: values that are no longer needed share memory in any case."""


def disable_forward_values_sharing():
    """No effect: values that are no longer needed share memory in any case."""


def enable_gradient_accumulation_optimization():
    """No effect: gradients are added up in place where that is possible."""


def disable_gradient_accumulation_optimization():
    """No effect: gradients are added up in place where that is possible."""


def set_automatic_unpacking_of_packed_values(disable):
    """No effect: values lie side by side, none are packed."""


def enable_synchronous_gpukernel_execution():
    """No effect: there are no GPUs."""
    _kept['synchronous GPU'] = True


def is_synchronous_gpukernel_execution_enabled():
    """Whether enable_synchronous_gpukernel_execution was called."""
    return _kept['synchronous GPU']


# ---- what is said


def set_trace_level(value):
    """How much is said; the same as logging.set_trace_level."""
    logging.set_trace_level(value)


def get_trace_level():
    """How much is said, as a number."""
    return logging.get_trace_level()


def set_computation_network_trace_level(level):
    """No effect: runs print nothing."""


def set_math_lib_trace_level(level):
    """No effect: kernels print nothing."""


def set_gpumemory_allocation_trace_level(level):
    """No effect: there are no GPUs."""


def enable_reversing_tensor_shapes_in_error_messages():
    """No effect: shapes in errors are in Python's order in any case."""


def print_built_info():
    """Prints the version of this package and of the API that it has, to standard error."""
    print(
        'Cantik {}, with the API of CNTK {}'.format(cantik_version, __version__),
        file=sys.stderr,
    )


# ---- times


def enable_node_timing():
    """Times each function from here on; the same as debugging.set_node_timing(True)."""
    debugging.set_node_timing(True)


def disable_node_timeing():
    """Ends enable_node_timing. The name is CNTK's."""
    debugging.set_node_timing(False)


def start_profiler(profiler_dir='profiler', buffer_size=32 * 1024 * 1024, sync_gpu=True):
    """Begins to record; the same as debugging.start_profiler."""
    debugging.start_profiler(profiler_dir, sync_gpu, buffer_size)


def stop_profiler():
    """Ends the recording and writes it; the same as debugging.stop_profiler."""
    debugging.stop_profiler()


def enable_profiler():
    """Goes on recording; the same as debugging.enable_profiler."""
    debugging.enable_profiler()


def disable_profiler():
    """Records nothing for a while; the same as debugging.disable_profiler."""
    debugging.disable_profiler()


# ---- distribution


def set_mpipack_threshold(size_in_bytes):
    """Kept for get_mpipack_threshold: distribution is not there yet."""
    _kept['mpi pack threshold'] = int(size_in_bytes)


def get_mpipack_threshold():
    """The number of the last set_mpipack_threshold, in bytes."""
    return _kept['mpi pack threshold']


def use_sparse_gradient_aggregation_in_data_parallel_sgd(enable):
    """Kept for should_use_sparse_gradient_aggregation_in_data_parallel_sgd: distribution is not there yet."""
    _kept['sparse gradients'] = bool(enable)


def should_use_sparse_gradient_aggregation_in_data_parallel_sgd():
    """What use_sparse_gradient_aggregation_in_data_parallel_sgd was last called with."""
    return _kept['sparse gradients']
