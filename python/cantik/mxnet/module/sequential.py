"""SequentialModule: modules one behind another; the outputs of each are the data of the next."""

from __future__ import annotations

import copy
import logging
from typing import TYPE_CHECKING, Any

from ..initializer import Uniform
from .base import BaseModule

if TYPE_CHECKING:
    from ...mxnet.io.batch import DataBatch
    from ...mxnet.ndarray.array import NDArray


class SequentialModule(BaseModule):
    """Built by `add`. With take_labels a module gets the labels; with auto_wiring its data take the names
    that it has for them."""

    META_TAKE_LABELS = 'take_labels'
    META_AUTO_WIRING = 'auto_wiring'

    def __init__(self, logger: Any = logging):
        super().__init__(logger)
        self._modules, self._metas = [], []
        self._label_shapes = None

    def add(self, module: Any, **kwargs: Any) -> SequentialModule:
        """Puts a module behind the others."""
        for key in kwargs:
            if key not in (self.META_TAKE_LABELS, self.META_AUTO_WIRING):
                raise AssertionError(f'Unknown meta "{key}", a typo?')
        self._modules.append(module)
        self._metas.append(kwargs)
        self.binded = self.params_initialized = self.optimizer_initialized = False
        return self

    def _takes_labels(self, i):
        return self._metas[i].get(self.META_TAKE_LABELS, False)

    # ---- what it is
    @property
    def data_names(self) -> list[Any]:
        return self._modules[0].data_names if self._modules else []

    @property
    def output_names(self) -> list[Any]:
        return self._modules[-1].output_names if self._modules else []

    def _bound(self):
        if not self.binded:
            raise AssertionError('the module has to be bound before that: call bind')

    @property
    def data_shapes(self) -> Any:
        self._bound()
        return self._modules[0].data_shapes

    @property
    def label_shapes(self) -> None:
        self._bound()
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        self._bound()
        return self._modules[-1].output_shapes

    # ---- its parts, one after another
    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = 'write',
    ) -> None:
        """Binds each module to the shapes that the one before it gives."""
        if self.binded and not force_rebind:
            self.logger.warning('Already bound, ignoring bind()')
            return
        if not self._modules:
            raise AssertionError('Attempting to bind an empty SequentialModule')
        if shared_module is not None:
            raise AssertionError('Shared module is not supported')
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        taken = False
        for i, module in enumerate(self._modules):
            if self._metas[i].get(self.META_AUTO_WIRING, False):
                if len(module.data_names) != len(data_shapes):
                    raise AssertionError(
                        f'module {i} takes {len(module.data_names)} data, {len(data_shapes)} come'
                    )
                data_shapes = [(name, shape) for name, (_, shape) in zip(module.data_names, data_shapes)]
            taken = taken or self._takes_labels(i)
            module.bind(
                data_shapes,
                label_shapes if self._takes_labels(i) else None,
                for_training,
                inputs_need_grad or (for_training and i > 0),
                force_rebind,
                None,
                grad_req,
            )
            data_shapes = module.output_shapes
        self._label_shapes = label_shapes if taken else None
        self.binded = True

    def init_params(
        self,
        initializer: Any = Uniform(0.01),
        arg_params: dict[str, NDArray] | None = None,
        aux_params: dict[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """First values of all parameters, which have to have names of their own."""
        if self.params_initialized and not force_init:
            return
        self._bound()
        homes = {}
        for i, module in enumerate(self._modules):
            module.init_params(
                initializer, arg_params, aux_params, allow_missing, force_init, allow_extra=True
            )
            for name in [n for part in module.get_params() for n in part]:
                if homes.setdefault(name, i) != i:
                    raise AssertionError(
                        f'Duplicated parameter names: name "{name}" in layer {i} is already used in layer '
                        f'{homes[name]}'
                    )
        extra = [n for n in arg_params or () if n not in homes]
        if extra and not allow_extra:
            raise ValueError(f'Find name "{extra[0]}" that is not in the arguments')
        self.params_initialized = True

    def get_params(self) -> tuple[Any, ...]:
        self._ready()
        args, aux = {}, {}
        for module in self._modules:
            a, x = module.get_params()
            args.update(a)
            aux.update(x)
        return args, aux

    def init_optimizer(
        self,
        kvstore: str = 'local',
        optimizer: Any = 'sgd',
        optimizer_params: Any = (('learning_rate', 0.01),),
        force_init: bool = False,
    ) -> None:
        """An optimizer for each module."""
        self._ready()
        if self.optimizer_initialized and not force_init:
            self.logger.warning('optimizer already initialized, ignoring.')
            return
        for module in self._modules:
            module.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        self.optimizer_initialized = True

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Runs the modules in their order."""
        self._ready()
        batch = copy.copy(data_batch)
        for i, module in enumerate(self._modules):
            if i:
                batch.data = self._modules[i - 1].get_outputs()
            module.forward(batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Takes gradients back from the last module to the first."""
        self._ready()
        for i, module in reversed(list(enumerate(self._modules))):
            module.backward(out_grads)
            if i:
                out_grads = module.get_input_grads()

    def update(self) -> None:
        self._ready()
        for module in self._modules:
            module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        self._ready()
        return self._modules[-1].get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        self._ready()
        return self._modules[0].get_input_grads(merge_multi_context)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        self._ready()
        for i, module in enumerate(self._modules):
            if self._takes_labels(i):
                module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        self._bound()
        for module in self._modules:
            module.install_monitor(mon)
