"""Devices as objects."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from ._cantik import DeviceDescriptor
from ._checks import device, listed, path as file_path, text, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import PathLike


@enum.unique
class DeviceKind(enum.Enum):
    """What kind of device; compares with what DeviceDescriptor.type() gives.

    Example:
        >>> import cantik as C
        >>> C.cpu().type() == C.DeviceKind.CPU
        True
    """

    CPU = 0
    GPU = 1
    OTHER = 2  # of a backend that is neither; CNTK has none

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, DeviceKind) else other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.value)


def all_devices() -> tuple[Any, ...]:
    """All devices of this machine that models can run on: the processor, and those of backends that were
    loaded.

    Example:
        >>> import cantik as C
        >>> C.cpu() in C.all_devices()
        True
    """
    return DeviceDescriptor.all_devices()


def cpu() -> DeviceDescriptor:
    """The processor.

    Example:
        >>> import cantik as C
        >>> C.cpu()
        CPU
    """
    return DeviceDescriptor.cpu_device()


def gpu(device_id: int) -> DeviceDescriptor:
    """The GPU of this number; a ValueError where there is none.

    Example:
        >>> import cantik as C
        >>> try:
        ...     device = C.gpu(99)
        ... except ValueError:
        ...     device = C.cpu()
    """
    return DeviceDescriptor.gpu_device(whole(device_id, 'device_id', 0))


def load_backend(path: PathLike) -> list[DeviceDescriptor]:
    """Loads a library with a backend, which brings devices with memory of their own. Models run there with
    `device=`, or once it is the default device; values stay in the memory of the host, and a run copies what
    it needs.

    Args:
        path: the library's file. The same one is loaded once

    Returns:
        the backend's devices. A ValueError where the file is no such library, a RuntimeError where it was
        built for another version

    Example:
        >>> import cantik as C
        >>> def on_all_devices(model, data, library):
        ...     return [model.eval(data, device=d) for d in [C.cpu(), *C.device.load_backend(library)]]
    """
    return DeviceDescriptor.load_backend(file_path(path, 'path'))


def backend_device(backend: str, device_id: int = 0) -> DeviceDescriptor:
    """A device of a backend that was loaded, by the backend's name: 'naive'. A KeyError where none has this
    name, a ValueError where it has no such device.

    Example:
        >>> import cantik as C
        >>> try:
        ...     device = C.device.backend_device('naive')
        ... except KeyError:
        ...     device = C.cpu()
    """
    return DeviceDescriptor.backend_device(text(backend, 'backend'), whole(device_id, 'device_id', 0))


def use_default_device() -> DeviceDescriptor:
    """The device on which models run where none is named.

    Example:
        >>> import cantik as C
        >>> C.use_default_device()
        CPU
    """
    return DeviceDescriptor.use_default_device()


def try_set_default_device(new_default_device: DeviceDescriptor, acquire_device_lock: bool = False) -> bool:
    """Makes a device the default. False where that is not possible, as a lock on the processor is not.

    Example:
        >>> import cantik as C
        >>> C.try_set_default_device(C.cpu())
        True
    """
    return DeviceDescriptor.try_set_default_device(new_default_device, acquire_device_lock)


def set_excluded_devices(excluded_devices: Sequence[DeviceDescriptor]) -> None:
    """Devices that may not become the default.

    Example:
        >>> import cantik as C
        >>> C.set_excluded_devices([])
    """
    DeviceDescriptor.set_excluded_devices([device(d) for d in listed(excluded_devices, 'excluded_devices')])


def get_gpu_properties(device: DeviceDescriptor | None) -> list[Any]:
    """What is known of a GPU.

    Example:
        >>> import cantik as C
        >>> [C.get_gpu_properties(d) for d in C.all_devices() if d.type() == C.DeviceKind.GPU]
        []
    """
    return DeviceDescriptor.get_gpu_properties(device)
