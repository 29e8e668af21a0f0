"""What every module does with its own forward, backward and update: fit, score, predict."""

import logging
import time

from .. import metric
from ..initializer import Uniform
from ..model import BatchEndParam
from ..ndarray import concatenate, load, save
from ..io import NDArrayIter


def listed(x):
    return x if isinstance(x, (list, tuple)) else [x]


class BaseModule:
    """A model that is bound to shapes of data, then has parameters, then an optimizer."""

    def __init__(self, logger=logging):
        self.logger = logger
        self.binded = self.for_training = self.inputs_need_grad = self.params_initialized = (
            self.optimizer_initialized
        ) = False
        self._symbol = None

    @property
    def symbol(self):
        return self._symbol

    def forward_backward(self, data_batch):
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
        eval_data,
        eval_metric,
        num_batch=None,
        batch_end_callback=None,
        score_end_callback=None,
        reset=True,
        epoch=0,
        sparse_row_id_fn=None,
    ):
        """The metric over the data, as a list of pairs."""
        eval_metric = metric.create(eval_metric)
        eval_metric.reset()
        count = 0
        for i, batch in self._each(eval_data, num_batch, reset):
            self.update_metric(eval_metric, batch.label)
            self._call(batch_end_callback, epoch, i, eval_metric, locals())
            count += 1
        self._call(score_end_callback, epoch, count, eval_metric, locals())
        return eval_metric.get_global_name_value()

    @staticmethod
    def _call(callbacks, epoch, batch, eval_metric, around):
        if callbacks is not None:
            param = BatchEndParam(epoch=epoch, nbatch=batch, eval_metric=eval_metric, locals=around)
            for callback in listed(callbacks):
                callback(param)

    def _unpadded(self, batch):
        pad = batch.pad or 0
        return [out[: out.shape[0] - pad] for out in self.get_outputs()]

    def iter_predict(self, eval_data, num_batch=None, reset=True, sparse_row_id_fn=None):
        """Of each batch the outputs without padding, its number and the batch."""
        for i, batch in self._each(eval_data, num_batch, reset):
            yield self._unpadded(batch), i, batch

    def predict(
        self,
        eval_data,
        num_batch=None,
        merge_batches=True,
        reset=True,
        always_output_list=False,
        sparse_row_id_fn=None,
    ):
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
        train_data,
        eval_data=None,
        eval_metric='acc',
        epoch_end_callback=None,
        batch_end_callback=None,
        kvstore='local',
        optimizer='sgd',
        optimizer_params=(('learning_rate', 0.01),),
        eval_end_callback=None,
        eval_batch_end_callback=None,
        initializer=Uniform(0.01),
        arg_params=None,
        aux_params=None,
        allow_missing=False,
        force_rebind=False,
        force_init=False,
        begin_epoch=0,
        num_epoch=None,
        validation_metric=None,
        monitor=None,
        sparse_row_id_fn=None,
    ):
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

    def set_params(self, arg_params, aux_params, allow_missing=False, force_init=True, allow_extra=False):
        self.init_params(None, arg_params, aux_params, allow_missing, force_init, allow_extra)

    def save_params(self, fname):
        arg_params, aux_params = self.get_params()
        save(
            fname,
            {
                **{'arg:' + k: v for k, v in arg_params.items()},
                **{'aux:' + k: v for k, v in aux_params.items()},
            },
        )

    def load_params(self, fname):
        loaded = load(fname)
        if any(not k.startswith(('arg:', 'aux:')) for k in loaded):
            raise ValueError('Invalid param file ' + fname)
        self.set_params(
            {k[4:]: v for k, v in loaded.items() if k.startswith('arg:')},
            {k[4:]: v for k, v in loaded.items() if k.startswith('aux:')},
        )

    def prepare(self, data_batch, sparse_row_id_fn=None):
        """Nothing has to be prepared."""
