"""What every module does with its own forward, backward and update: fit, score, predict."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from .. import metric
from ..initializer import Uniform
from ..io import NDArrayIter
from ..model import BatchEndParam
from ..ndarray import concatenate, load, save

if TYPE_CHECKING:
    from ...mxnet.io.batch import DataBatch
    from ...mxnet.ndarray.array import NDArray


def listed(x: Any) -> Any:
    return x if isinstance(x, (list, tuple)) else [x]


class BaseModule:
    """A model that is bound to shapes of data, then has parameters, then an optimizer."""

    def __init__(self, logger: Any = logging):
        self.logger = logger
        self.binded = self.for_training = self.inputs_need_grad = self.params_initialized = (
            self.optimizer_initialized
        ) = False
        self._symbol = None

    @property
    def symbol(self) -> None:
        return self._symbol

    def forward_backward(self, data_batch: DataBatch) -> None:
        self.forward(data_batch, is_train=True)
        self.backward()

    def _ready(self):
        if not self.binded or not self.params_initialized:
            raise AssertionError(
                'the module has to be bound, and its parameters initialized, before that: call bind and '
                'init_params'
            )

    def _each(self, data, num_batch, reset):
        """Number and batch, after the forward run."""
        self._ready()
        if reset:
            data.reset()
        for i, batch in enumerate(data):
            if i == num_batch:
                break
            self.forward(batch, is_train=False)
            yield i, batch

    def score(
        self,
        eval_data: Any,
        eval_metric: Any,
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        score_end_callback: Any = None,
        reset: bool = True,
        epoch: int = 0,
        sparse_row_id_fn: Any = None,
    ) -> Any:
        """The metric over the data, as a list of pairs."""
        eval_metric = metric.create(eval_metric)
        eval_metric.reset()
        count = 0
        for i, batch in self._each(eval_data, num_batch, reset):
            self.update_metric(eval_metric, batch.label)
            self._call(batch_end_callback, epoch, i, eval_metric, locals())
            count += 1
        self._call(score_end_callback, epoch, count, eval_metric, locals())
        return eval_metric.get_name_value()

    @staticmethod
    def _call(callbacks, epoch, batch, eval_metric, around):
        if callbacks is not None:
            param = BatchEndParam(epoch=epoch, nbatch=batch, eval_metric=eval_metric, locals=around)
            for callback in listed(callbacks):
                callback(param)

    def _unpadded(self, batch):
        pad = batch.pad or 0
        return [out[: out.shape[0] - pad] for out in self.get_outputs()]

    def iter_predict(
        self, eval_data: Any, num_batch: int | None = None, reset: bool = True, sparse_row_id_fn: Any = None
    ) -> Any:
        """Of each batch the outputs without padding, its number and the batch."""
        for i, batch in self._each(eval_data, num_batch, reset):
            yield self._unpadded(batch), i, batch

    def predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: Any = None,
    ) -> list[Any]:
        """The outputs for all data."""
        if not hasattr(eval_data, 'provide_data') and not hasattr(eval_data, 'next'):
            eval_data = NDArrayIter(eval_data, batch_size=self.data_shapes[0].shape[0])
        made = [
            [out.copy() for out in self._unpadded(batch)]
            for _, batch in self._each(eval_data, num_batch, reset)
        ]
        if not made or not merge_batches:
            return made
        if any(len(out) != len(made[0]) for out in made):
            raise AssertionError(
                'Cannot merge batches, as num of outputs is not the same in mini-batches. Maybe bucketing '
                'is used?'
            )
        merged = [concatenate([out[i] for out in made], always_copy=False) for i in range(len(made[0]))]
        return merged[0] if len(merged) == 1 and not always_output_list else merged

    def fit(
        self,
        train_data: Any,
        eval_data: Any = None,
        eval_metric: Any = 'acc',
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: str = 'local',
        optimizer: Any = 'sgd',
        optimizer_params: Any = (('learning_rate', 0.01),),
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
        initializer: Any = Uniform(0.01),
        arg_params: dict[str, NDArray] | None = None,
        aux_params: dict[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_rebind: bool = False,
        force_init: bool = False,
        begin_epoch: int = 0,
        num_epoch: Any = None,
        validation_metric: Any = None,
        monitor: Any = None,
        sparse_row_id_fn: Any = None,
    ) -> None:
        """Trains the module on the data, epoch by epoch."""
        if num_epoch is None:
            raise AssertionError('please specify number of epochs')
        self.bind(
            data_shapes=train_data.provide_data,
            label_shapes=train_data.provide_label,
            for_training=True,
            force_rebind=force_rebind,
        )
        if monitor is not None:
            self.install_monitor(monitor)
        self.init_params(initializer, arg_params, aux_params, allow_missing, force_init)
        self.init_optimizer(kvstore, optimizer, optimizer_params)
        validation_metric = eval_metric if validation_metric is None else validation_metric
        eval_metric = metric.create(eval_metric)
        for epoch in range(begin_epoch, num_epoch):
            begin = time.time()
            eval_metric.reset()
            i = -1
            for i, batch in enumerate(train_data):
                if monitor is not None:
                    monitor.tic()
                self.forward_backward(batch)
                self.update()
                self.update_metric(eval_metric, batch.label)
                if monitor is not None:
                    monitor.toc_print()
                self._call(batch_end_callback, epoch, i, eval_metric, locals())
            if i < 0:
                raise StopIteration('the training data has no batches: its iterator may have to be reset')
            for name, value in eval_metric.get_global_name_value():
                self.logger.info('Epoch[%d] Train-%s=%f', epoch, name, value)
            self.logger.info('Epoch[%d] Time cost=%.3f', epoch, time.time() - begin)
            arg_params, aux_params = self.get_params()
            for callback in listed(epoch_end_callback) if epoch_end_callback is not None else ():
                callback(epoch, self.symbol, arg_params, aux_params)
            if eval_data is not None:
                for name, value in self.score(
                    eval_data,
                    validation_metric,
                    batch_end_callback=eval_batch_end_callback,
                    score_end_callback=eval_end_callback,
                    epoch=epoch,
                ):
                    self.logger.info('Epoch[%d] Validation-%s=%f', epoch, name, value)
            train_data.reset()

    def set_params(
        self,
        arg_params: dict[str, NDArray],
        aux_params: dict[str, NDArray],
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        names = (*self.symbol.list_arguments(), *self.symbol.list_auxiliary_states())
        extra = [n for n in (*(arg_params or ()), *(aux_params or ())) if n not in names]
        if extra and allow_missing and not allow_extra:  # without allow_missing MXNet leaves them out
            raise ValueError(f'Find name "{extra[0]}" that is not in the arguments')
        self.init_params(None, arg_params, aux_params, allow_missing, force_init, allow_extra)

    def save_params(self, fname: Any) -> None:
        arg_params, aux_params = self.get_params()
        save(
            fname,
            {
                **{'arg:' + k: v for k, v in arg_params.items()},
                **{'aux:' + k: v for k, v in aux_params.items()},
            },
        )

    def load_params(self, fname: Any) -> None:
        loaded = load(fname)
        if any(not k.startswith(('arg:', 'aux:')) for k in loaded):
            raise ValueError('Invalid param file ' + fname)
        self.set_params(
            {k[4:]: v for k, v in loaded.items() if k.startswith('arg:')},
            {k[4:]: v for k, v in loaded.items() if k.startswith('aux:')},
        )

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: Any = None) -> None:
        """Nothing has to be prepared."""
