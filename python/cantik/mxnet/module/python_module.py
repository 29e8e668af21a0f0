"""PythonModule: a module whose forward and backward are a program's own; PythonLossModule: one that is a
loss."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from ..initializer import Uniform
from ..ndarray import NDArray, array
from .base import BaseModule
from .module import described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mxnet.io.batch import DataBatch, DataDesc


class PythonModule(BaseModule):
    """Without parameters. Derived classes have forward, backward, get_outputs, get_input_grads and
    _compute_output_shapes."""

    def __init__(
        self,
        data_names: Sequence[str] | None,
        label_names: Sequence[str] | None,
        output_names: Sequence[str],
        logger: Any = logging,
    ):
        super().__init__(logger)
        self._data_names, self._label_names, self._output_names = (
            list(data_names),
            label_names and list(label_names),
            output_names,
        )
        self._data_shapes = self._label_shapes = self._output_shapes = None

    @property
    def data_names(self) -> list[Any]:
        return self._data_names

    @property
    def output_names(self) -> Any:
        return self._output_names

    @property
    def data_shapes(self) -> list[DataDesc] | None:
        return self._data_shapes

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        return self._label_shapes

    @property
    def output_shapes(self) -> None:
        return self._output_shapes

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
        """Notes the shapes."""
        if self.binded and not force_rebind:
            self.logger.warning('Already bound, ignoring bind()')
            return
        if grad_req != 'write':
            raise AssertionError('Python module only support write gradient')
        data, labels = described(data_shapes), described(label_shapes)
        if [d.name for d in data] != self._data_names or (
            label_shapes is not None and [d.name for d in labels] != (self._label_names or [])
        ):
            raise AssertionError(
                f'the module takes {self._data_names} and {self._label_names}, not '
                f'{[d.name for d in data]} and {[d.name for d in labels]}'
            )
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._data_shapes, self._label_shapes = data, labels if label_shapes is not None else None
        self._output_shapes = self._compute_output_shapes()
        self.binded = True

    def _compute_output_shapes(self):
        raise NotImplementedError()

    def init_params(
        self,
        initializer: Any = Uniform(0.01),
        arg_params: dict[str, NDArray] | None = None,
        aux_params: dict[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        self.params_initialized = True

    def get_params(self) -> tuple[Any, ...]:
        return {}, {}

    def init_optimizer(
        self,
        kvstore: str = 'local',
        optimizer: Any = 'sgd',
        optimizer_params: Any = (('learning_rate', 0.01),),
        force_init: bool = False,
    ) -> None:
        self.optimizer_initialized = True

    def update(self) -> None:
        """There are no parameters."""

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        if self._label_shapes is not None:
            if pre_sliced:
                raise RuntimeError('PythonModule does not support presliced labels')
            eval_metric.update_dict(
                dict(zip(self._label_names, labels)), dict(zip(self.output_names, self.get_outputs()))
            )

    def install_monitor(self, mon: Any) -> None:
        """There is no graph to be watched."""


class PythonLossModule(PythonModule):
    """Scores come out as they come in; grad_func(scores, labels) gives the loss's gradient with respect to
    them."""

    def __init__(
        self,
        name: str | None = 'pyloss',
        data_names: Sequence[str] | None = ('data',),
        label_names: Sequence[str] | None = ('softmax_label',),
        logger: Any = logging,
        grad_func: Any = None,
    ):
        if len(data_names) != 1 or len(label_names) != 1:
            raise AssertionError('a loss takes one value and one label')
        if grad_func is not None and not callable(grad_func):
            raise AssertionError('grad_func is a function of scores and labels')
        super().__init__(data_names, label_names, [name + '_output'], logger)
        self._name, self._grad_func = name, grad_func
        self._scores = self._labels = self._scores_grad = None

    def _compute_output_shapes(self):
        return [(self._name + '_output', self._data_shapes[0].shape)]

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        self._scores = data_batch.data[0]
        if self.for_training if is_train is None else is_train:
            self._labels = data_batch.label[0]

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        return [self._scores] if merge_multi_context else [[self._scores]]

    def backward(self, out_grads: Any = None) -> None:
        if out_grads is not None:
            raise AssertionError('For a loss module, out_grads should be None')
        if not self.for_training:
            raise AssertionError('the module was not bound for training')
        self._backward_impl()

    def _backward_impl(self):
        """Derived classes may set _scores_grad in another way."""
        if self._grad_func is None:
            raise NotImplementedError()
        grad = self._grad_func(self._scores, self._labels)
        self._scores_grad = grad if isinstance(grad, NDArray) else array(np.asarray(grad))

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        return [self._scores_grad] if merge_multi_context else [[self._scores_grad]]
