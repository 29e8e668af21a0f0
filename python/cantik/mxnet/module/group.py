"""A module's arrays as MXNet's programs reach for them (`module._exec_group`): lists with an entry for each
device, of which there is one."""

from __future__ import annotations

from typing import Any


class ExecutorGroup:
    """The executor that a module has now, and its arrays by what they are for."""

    def __init__(self, module: Any):
        self._module = module

    @property
    def execs(self) -> list[Any]:
        return [self._module._exec]

    @property
    def batch_size(self) -> Any:
        return self._module._batch_size()

    @property
    def param_names(self) -> Any:
        return self._module._param_names

    @property
    def aux_names(self) -> Any:
        return self._module._aux_names

    def _each(self, arrays, names):
        return [[arrays[n]] for n in names]

    @property
    def param_arrays(self) -> list[Any]:
        return self._each(self._module._exec.arg_dict, self.param_names)

    @property
    def grad_arrays(self) -> Any:
        return (
            self._each(self._module._exec.grad_dict, self.param_names) if self._module.for_training else None
        )

    @property
    def aux_arrays(self) -> list[Any]:
        return self._each(self._module._exec.aux_dict, self.aux_names)

    @property
    def input_grad_arrays(self) -> list[Any]:
        return self._each(self._module._exec.grad_dict, self._module._data_names)

    @property
    def data_arrays(self) -> list[Any]:
        return self._fed(self._module._data_shapes)

    @property
    def label_arrays(self) -> list[Any]:
        return self._fed(self._module._label_shapes)

    def _fed(self, shapes):
        arrays = self._module._exec.arg_dict
        return [[(slice(0, self.batch_size), arrays[d.name])] for d in shapes if d.name in arrays]

    def get_output_shapes(self) -> Any:
        return self._module.output_shapes
