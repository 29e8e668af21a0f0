"""BucketingModule: one network for sequences of several lengths, a module for each length, with one set of
parameters."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import context as ctx, name as naming
from ..initializer import Uniform
from ..model import load_params, save_checkpoint
from ..ndarray import array, load, save
from ..symbol import load as load_symbol
from .base import BaseModule
from .module import Module

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...mxnet.io.batch import DataBatch, DataDesc
    from ...mxnet.ndarray.array import NDArray


class BucketingModule(BaseModule):
    """sym_gen(key) gives a symbol, the names of its data and of its labels; batches say their key
    (DataBatch.bucket_key).

    The module of default_bucket_key is bound first: the others take its parameters, which it has to have all.
    """

    def __init__(
        self,
        sym_gen: Callable[..., Any],
        default_bucket_key: Any = None,
        logger: Any = logging,
        context: Any = ctx.cpu(),
        work_load_list: Any = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ):
        super().__init__(logger)
        if default_bucket_key is None:
            raise AssertionError('BucketingModule needs its default_bucket_key')
        self._sym_gen, self._default_bucket_key = sym_gen, default_bucket_key
        self._options = dict(
            logger=logger,
            context=context,
            work_load_list=work_load_list,
            fixed_param_names=fixed_param_names,
            state_names=state_names,
            group2ctxs=group2ctxs,
            compression_params=compression_params,
        )
        self._preload = None
        self._forget()

    def _forget(self):
        self.binded = False
        self._buckets, self._curr_module, self._curr_bucket_key = {}, None, None

    def _generated(self, key):
        """Layers without names have the same ones in each bucket."""
        with naming.NameManager():
            return self._sym_gen(key)

    def _new(self, key):
        symbol, data_names, label_names = self._generated(key)
        return Module(symbol, data_names, label_names, **self._options)

    def _now(self):
        """The module of the bucket that was used last."""
        if not self.binded:
            raise AssertionError('the module has to be bound before that: call bind')
        return self._curr_module

    # ---- what it is
    @property
    def symbol(self) -> None:
        return self._now().symbol

    @property
    def data_names(self) -> list[Any]:
        return (
            self._curr_module.data_names
            if self.binded
            else list(self._generated(self._default_bucket_key)[1])
        )

    @property
    def output_names(self) -> Any:
        return (
            self._curr_module.output_names
            if self.binded
            else self._generated(self._default_bucket_key)[0].list_outputs()
        )

    @property
    def data_shapes(self) -> list[DataDesc] | None:
        return self._now().data_shapes

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        return self._now().label_shapes

    @property
    def output_shapes(self) -> list[Any]:
        return self._now().output_shapes

    # ---- buckets
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
        """Binds the module of the default bucket; the others are bound when a batch of theirs comes."""
        if shared_module is not None:
            raise AssertionError('shared_module for BucketingModule is not supported')
        kept = self.get_params() if self.binded and self.params_initialized else None
        if force_rebind:
            self._forget()
        if self.binded:
            self.logger.warning('Already bound, ignoring bind()')
            return
        self.for_training, self.inputs_need_grad, self._grad_req = for_training, inputs_need_grad, grad_req
        self._curr_module = self._buckets[self._default_bucket_key] = self._new(self._default_bucket_key)
        self._curr_bucket_key = self._default_bucket_key
        self._curr_module.bind(data_shapes, label_shapes, for_training, inputs_need_grad, grad_req=grad_req)
        self.binded = True
        if kept is None and self._preload is not None:
            kept, self._preload = self._preload, None
        if kept is not None:
            self.set_params(*kept)

    def switch_bucket(self, bucket_key: Any, data_shapes: Any, label_shapes: Any = None) -> None:
        """Makes another bucket's module the one that runs."""
        self._now()
        if bucket_key not in self._buckets:
            first = self._buckets[self._default_bucket_key]
            module = self._new(bucket_key)
            module.bind(
                data_shapes,
                label_shapes,
                self.for_training,
                self.inputs_need_grad,
                shared_module=first,
                grad_req=self._grad_req,
            )
            if first.optimizer_initialized:
                module.borrow_optimizer(first)
            self._buckets[bucket_key] = module
        self._curr_module, self._curr_bucket_key = self._buckets[bucket_key], bucket_key

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: Any = None) -> None:
        """Binds the batch's bucket beforehand."""
        self._ready()
        before = self._curr_bucket_key
        self.switch_bucket(data_batch.bucket_key, data_batch.provide_data, data_batch.provide_label)
        self._curr_bucket_key, self._curr_module = before, self._buckets[before]

    # ---- parameters: those of the default bucket's module, in whose arrays they lie for all
    def init_params(
        self,
        initializer: Any = Uniform(0.01),
        arg_params: dict[str, NDArray] | None = None,
        aux_params: dict[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """First values of the parameters."""
        if self.params_initialized and not force_init:
            return
        self._now()
        self._buckets[self._default_bucket_key].init_params(
            initializer, arg_params, aux_params, allow_missing, force_init, allow_extra
        )
        for module in self._buckets.values():
            module.params_initialized = True
        self.params_initialized = True

    def get_params(self) -> Any:
        self._ready()
        return self._buckets[self._default_bucket_key].get_params()

    def set_params(
        self,
        arg_params: dict[str, NDArray],
        aux_params: dict[str, NDArray],
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        self.init_params(None, arg_params, aux_params, allow_missing, force_init, allow_extra)

    def init_optimizer(
        self,
        kvstore: str = 'local',
        optimizer: Any = 'sgd',
        optimizer_params: Any = (('learning_rate', 0.01),),
        force_init: bool = False,
    ) -> None:
        """The optimizer of all buckets."""
        self._ready()
        if self.optimizer_initialized and not force_init:
            self.logger.warning('optimizer already initialized, ignoring.')
            return
        first = self._buckets[self._default_bucket_key]
        first.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        for module in self._buckets.values():
            if module is not first:
                module.borrow_optimizer(first)
        self.optimizer_initialized = True

    # ---- running
    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Runs the batch's bucket."""
        self._ready()
        self.switch_bucket(data_batch.bucket_key, data_batch.provide_data, data_batch.provide_label)
        self._curr_module.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        self._ready()
        self._curr_module.backward(out_grads)

    def update(self) -> None:
        self._ready()
        self._curr_module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        self._ready()
        return self._curr_module.get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        self._ready()
        return self._curr_module.get_input_grads(merge_multi_context)

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        self._ready()
        return self._curr_module.get_states(merge_multi_context)

    def set_states(self, states: Any = None, value: Any = None) -> None:
        self._ready()
        self._curr_module.set_states(states, value)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        self._ready()
        self._curr_module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        self._now()
        for module in self._buckets.values():
            module.install_monitor(mon)

    # ---- files: a symbol for each bucket, one set of parameters, and the keys, which are whole numbers
    def save_checkpoint(self, prefix: str, epoch: int, remove_amp_cast: bool = False) -> None:
        """Writes prefix-KEY-symbol.json for each bucket, prefix-EPOCH.params and prefix.buckets."""
        self._ready()
        keys = list(self._buckets)
        if not all(isinstance(k, (int, np.integer)) for k in keys):
            raise AssertionError(f'files keep keys that are whole numbers: {keys}')
        save_checkpoint(prefix, epoch, None, *self.get_params())
        for key in keys:
            self._buckets[key].symbol.save(f'{prefix}-{key}-symbol.json')
        save(f'{prefix}.buckets', [array(keys, dtype=np.int32)])

    @staticmethod
    def load(
        prefix: str,
        epoch: int,
        sym_gen: Callable[..., Any] | None = None,
        default_bucket_key: Any = None,
        **kwargs: Any,
    ) -> BucketingModule:
        """A module of what save_checkpoint wrote. Without sym_gen the buckets are those that have been
        written."""
        keys = [int(k) for k in load(f'{prefix}.buckets')[0].asnumpy()]
        symbols = {key: load_symbol(f'{prefix}-{key}-symbol.json') for key in keys}
        return BucketingModule.load_dict(
            symbols, sym_gen, default_bucket_key, *load_params(prefix, epoch), **kwargs
        )

    @staticmethod
    def load_dict(
        sym_dict: Any = None,
        sym_gen: Callable[..., Any] | None = None,
        default_bucket_key: Any = None,
        arg_params: dict[str, NDArray] | None = None,
        aux_params: dict[str, NDArray] | None = None,
        data_names: Sequence[str] | None = ('data',),
        label_names: Sequence[str] | None = ('softmax_label',),
        **kwargs: Any,
    ) -> BucketingModule:
        """A module with these parameters, and with sym_gen's symbols or those of the dictionary from keys to
        symbols."""
        if sym_gen is None:

            def sym_gen(key):
                return sym_dict[key], data_names, label_names

        made = BucketingModule(sym_gen, default_bucket_key, **kwargs)
        made._preload = arg_params, aux_params
        return made
