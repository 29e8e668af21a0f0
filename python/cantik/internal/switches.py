"""Settings of the process that CNTK's programs make through its binding. A setting that has no effect here
says why."""

from __future__ import annotations

import sys
from typing import Any

from .. import _cantik, debugging, logging
from .._checks import flag, whole
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


class _Kept:
    """Settings that are kept for those who ask, and nothing else."""

    mpi_pack_threshold = 32 * 1024  # bytes
    sparse_gradients = synchronous_gpu = False


# ---- threads, seeds, devices


def set_max_num_cputhreads(n: int) -> None:
    """At most so many threads for a run."""
    _cantik.set_thread_limit(n)


def get_max_num_cputhreads() -> int:
    """How many threads a run may use."""
    return _cantik.thread_limit()


def force_deterministic_algorithms() -> None:
    """Runs repeat bit for bit anyway."""


def should_force_deterministic_algorithms() -> bool:
    """Whether runs repeat bit for bit: always."""
    return True


def always_allow_setting_default_device() -> None:
    """Nothing forbids it."""


# ---- ways to run, of which the compiler chooses here


def enable_cpueval_optimization() -> None:
    """No effect: evaluation is compiled for the processor in any case."""


def disable_cpueval_optimization() -> None:
    """No effect: evaluation is compiled for the processor in any case."""


def enable_forward_values_sharing() -> None:
    """No effect: values that are no longer needed share memory in any case."""


def disable_forward_values_sharing() -> None:
    """No effect: values that are no longer needed share memory in any case."""


def enable_gradient_accumulation_optimization() -> None:
    """No effect: gradients are added up in place where that is possible."""


def disable_gradient_accumulation_optimization() -> None:
    """No effect: gradients are added up in place where that is possible."""


def set_automatic_unpacking_of_packed_values(disable: bool) -> None:
    """No effect: values lie side by side, none are packed."""


def enable_synchronous_gpukernel_execution() -> None:
    """No effect: there are no GPUs."""
    _Kept.synchronous_gpu = True


def is_synchronous_gpukernel_execution_enabled() -> bool:
    """Whether enable_synchronous_gpukernel_execution was called."""
    return _Kept.synchronous_gpu


# ---- what is said


def set_trace_level(value: Any) -> None:
    """How much is said; the same as logging.set_trace_level."""
    logging.set_trace_level(value)


def get_trace_level() -> int:
    """How much is said, as a number."""
    return logging.get_trace_level()


def set_computation_network_trace_level(level: int) -> None:
    """No effect: runs print nothing."""


def set_math_lib_trace_level(level: int) -> None:
    """No effect: kernels print nothing."""


def set_gpumemory_allocation_trace_level(level: int) -> None:
    """No effect: there are no GPUs."""


def enable_reversing_tensor_shapes_in_error_messages() -> None:
    """No effect: shapes in errors are in Python's order in any case."""


def print_built_info() -> None:
    """Prints the version of this package and of the API that it has, to standard error."""
    print(
        f'Cantik {cantik_version}, with the API of CNTK {__version__}',
        file=sys.stderr,
    )


# ---- times


def enable_node_timing() -> None:
    """Times each function from here on; the same as debugging.set_node_timing(True)."""
    debugging.set_node_timing(True)


def disable_node_timeing() -> None:
    """Ends enable_node_timing. The name is CNTK's."""
    debugging.set_node_timing(False)


def start_profiler(
    profiler_dir: str = 'profiler', buffer_size: int = 32 * 1024 * 1024, sync_gpu: bool = True
) -> None:
    """Begins to record; the same as debugging.start_profiler."""
    debugging.start_profiler(profiler_dir, sync_gpu, buffer_size)


def stop_profiler() -> None:
    """Ends the recording and writes it; the same as debugging.stop_profiler."""
    debugging.stop_profiler()


def enable_profiler() -> None:
    """Goes on recording; the same as debugging.enable_profiler."""
    debugging.enable_profiler()


def disable_profiler() -> None:
    """Records nothing for a while; the same as debugging.disable_profiler."""
    debugging.disable_profiler()


# ---- distribution


def set_mpipack_threshold(size_in_bytes: int) -> None:
    """Kept for get_mpipack_threshold, of no effect."""
    _Kept.mpi_pack_threshold = whole(size_in_bytes, 'size_in_bytes', 0)


def get_mpipack_threshold() -> int:
    """The number of the last set_mpipack_threshold, in bytes."""
    return _Kept.mpi_pack_threshold


def use_sparse_gradient_aggregation_in_data_parallel_sgd(enable: bool) -> None:
    """Kept for should_use_sparse_gradient_aggregation_in_data_parallel_sgd: gradients with few
    rows are exchanged as these rows in any case."""
    _Kept.sparse_gradients = flag(enable, 'enable')


def should_use_sparse_gradient_aggregation_in_data_parallel_sgd() -> bool:
    """What use_sparse_gradient_aggregation_in_data_parallel_sgd was last called with."""
    return _Kept.sparse_gradients
