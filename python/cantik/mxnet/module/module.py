"""Module: a symbol with its parameters and an optimizer."""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING, Any

from .. import context as ctx, kvstore as kvs, optimizer as opt
from ..base import MXNetError, as_dtype, missing
from ..files import write_whole
from ..initializer import InitDesc, Uniform
from ..io.batch import DataDesc
from ..model import load_checkpoint, save_checkpoint
from ..symbol.executor import simple_bind
from .base import BaseModule, listed
from .group import ExecutorGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mxnet.io.batch import DataBatch
    from ...mxnet.ndarray.array import NDArray
    from ...mxnet.symbol.symbol import Symbol


def described(shapes: Any) -> list[DataDesc]:
    """Descriptions of data, from those or from pairs of name and shape."""
    return [s if isinstance(s, DataDesc) else DataDesc(*s) for s in shapes or []]


class Module(BaseModule):
    """A symbol, trained by feeding data and labels by their names."""

    def __init__(
        self,
        symbol: Symbol,
        data_names: Sequence[str] | None = ('data',),
        label_names: Sequence[str] | None = ('softmax_label',),
        logger: Any = logging,
        context: Any = ctx.cpu(),
        work_load_list: Any = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ):
        super().__init__(logger)
        contexts = listed(context)
        if len(contexts) > 1:
            missing('Module on several devices')
        self._context, self._symbol = contexts[0], symbol
        self._arguments = symbol.list_arguments()
        self._data_names, self._label_names = list(data_names or []), list(label_names or [])
        self._state_names, self._fixed = list(state_names or []), list(fixed_param_names or [])
        self._check(self._data_names, 'data', True)
        self._check(self._label_names, 'label', False)
        self._check(self._fixed, 'fixed_param', True)
        fed = set(self._data_names + self._label_names + self._state_names)
        self._param_names = [n for n in self._arguments if n not in fed]
        self._aux_names = symbol.list_auxiliary_states()
        self._arg_params = self._aux_params = self._optimizer = self._updater = self._exec = self._preload = (
            self._monitor
        ) = None
        self._data_shapes, self._label_shapes = None, None

    def _check(self, names, what, throw):
        for name in names:
            if name in self._arguments:
                continue
            likely = [n for n in self._arguments if not n.endswith(('_weight', '_bias', '_gamma', '_beta'))]
            message = (
                "\033[91mYou created Module with Module(..., {}_names={}) but input with name '{}' is not "
                "found in symbol.list_arguments(). Did you mean one of:\n\t{}\033[0m"
            ).format(what, names, name, '\n\t'.join(likely))
            if throw:
                raise ValueError(message)
            warnings.warn(message, stacklevel=4)

    # ---- what it is
    @property
    def data_names(self) -> list[Any]:
        return self._data_names

    @property
    def label_names(self) -> list[Any]:
        return self._label_names

    @property
    def output_names(self) -> Any:
        return self._symbol.list_outputs()

    @property
    def data_shapes(self) -> list[DataDesc] | None:
        self._bound()
        return self._data_shapes

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        self._bound()
        return self._label_shapes

    @property
    def output_shapes(self) -> list[Any]:
        self._bound()
        return [(n, o.shape) for n, o in zip(self.output_names, self._exec.outputs)]

    @property
    def _exec_group(self):
        self._bound()
        return ExecutorGroup(self)

    def _bound(self):
        if not self.binded:
            raise AssertionError('the module has to be bound before that: call bind')

    # ---- binding
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
        """Makes arrays for data of these shapes."""
        if force_rebind:
            self.binded = False
        if self.binded:
            self.logger.warning('Already bound, ignoring bind()')
            return
        if not for_training and inputs_need_grad:
            raise AssertionError('gradients of inputs need for_training')
        self.for_training, self.inputs_need_grad, self._grad_req = for_training, inputs_need_grad, grad_req
        self._data_shapes, self._label_shapes = described(data_shapes), described(label_shapes)
        given = sorted(d.name for d in self._data_shapes)
        if given != sorted(self._data_names):
            raise ValueError(
                "Data provided by data_shapes don't match names specified by data_names "
                f"({self._data_shapes} vs. {self._data_names})"
            )
        self._make(shared_module and shared_module._exec)
        self.binded = True
        if shared_module is not None and shared_module.params_initialized:
            self._remember()
            self.params_initialized = True
        elif self.params_initialized:
            self._exec.copy_params_from(self._arg_params, self._aux_params)

    def _make(self, shared=None):
        feeds = [d for d in self._data_shapes + self._label_shapes if d.name in self._arguments]
        requests = dict.fromkeys(self._arguments, 'null')
        if self.for_training:
            asked = self._grad_req
            if isinstance(asked, str):
                asked = dict.fromkeys(self._param_names, asked)
            elif isinstance(asked, (list, tuple)):
                asked = dict(zip(self._arguments, asked))
            for n in self._param_names:
                requests[n] = 'null' if n in self._fixed else asked.get(n, 'write')
            if self.inputs_need_grad:
                of_all = self._grad_req if isinstance(self._grad_req, str) else 'write'
                requests.update({n: asked.get(n, of_all) for n in self._data_names})
        if shared is not None:
            own = [n for n in self._param_names if n not in shared.arg_dict] + [
                n for n in self._aux_names if n not in shared.aux_dict
            ]
            if own:
                raise RuntimeError('the module to share with has no {}'.format(', '.join(own)))
        types, shapes = {d.name: as_dtype(d.dtype) for d in feeds}, {d.name: d.shape for d in feeds}
        self._exec = simple_bind(self._symbol, self._context, requests, types, shapes, shared)
        if self._monitor is not None:
            self._monitor.install(self._exec)
        if shared is None:
            return
        for n in self._param_names:
            if self._exec.arg_dict[n] is not shared.arg_dict[n]:
                raise MXNetError(
                    f'the parameter {n} has the shape {self._exec.arg_dict[n].shape} here, '
                    f'{shared.arg_dict[n].shape} in the module that it is shared with'
                )

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """The same parameters for data of other shapes."""
        self._bound()
        data, labels = described(data_shapes), described(label_shapes)
        if [d.shape for d in data + labels] == [d.shape for d in self._data_shapes + self._label_shapes]:
            return
        self._data_shapes, self._label_shapes = data, labels
        self._make(self._exec)

    # ---- parameters
    def init_params(
        self,
        initializer: Any = Uniform(0.01),
        arg_params: dict[str, NDArray] | None = None,
        aux_params: dict[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """First values of the parameters: those given, else by the initializer."""
        if self.params_initialized and not force_init:
            warnings.warn(
                'Parameters already initialized and force_init=False. init_params call ignored.', stacklevel=2
            )
            return
        if not self.binded:
            raise AssertionError('call bind before initializing the parameters')
        preloaded = self._preload or (None, None)
        attrs = self._symbol.attr_dict()

        def fill(name, array, given):
            if given is not None and name in given:
                if given[name] is not array:
                    if given[name].shape != array.shape:
                        raise MXNetError(f'{name} has the shape {given[name].shape}, the model {array.shape}')
                    given[name].copyto(array)
                return
            if given is not None and not allow_missing:
                raise RuntimeError(f'{name} is not presented')
            if initializer is not None:
                initializer(InitDesc(name, attrs.get(name)), array)

        given_args = arg_params if arg_params is not None else preloaded[0]
        given_aux = aux_params if aux_params is not None else preloaded[1]
        for name in sorted(self._param_names):
            fill(name, self._exec.arg_dict[name], given_args)
        for name in sorted(self._aux_names):
            fill(name, self._exec.aux_dict[name], given_aux)
        self.params_initialized = True
        self._remember()

    def _remember(self):
        self._arg_params = {n: self._exec.arg_dict[n] for n in self._param_names}
        self._aux_params = {n: self._exec.aux_dict[n] for n in self._aux_names}

    def get_params(self) -> tuple[Any, ...]:
        """Copies of parameters and auxiliary states, by name."""
        self._ready()
        self._remember()
        return {n: a.copy() for n, a in self._arg_params.items()}, {
            n: a.copy() for n, a in self._aux_params.items()
        }

    # ---- optimizer
    def init_optimizer(
        self,
        kvstore: str = 'local',
        optimizer: Any = 'sgd',
        optimizer_params: Any = (('learning_rate', 0.01),),
        force_init: bool = False,
    ) -> None:
        """Which optimizer changes the parameters. Gradients are divided by the batch size unless rescale_grad
        is given."""
        self._ready()
        if self.optimizer_initialized and not force_init:
            self.logger.warning('optimizer already initialized, ignoring...')
            return
        if isinstance(kvstore, str):
            kvs.create(kvstore)  # says which are not there; one device needs none
        if isinstance(optimizer, str):
            params = dict(optimizer_params)
            params.setdefault('rescale_grad', 1.0 / self._batch_size())
            optimizer = opt.create(
                optimizer, sym=self._symbol, param_idx2name=dict(enumerate(self._param_names)), **params
            )
        elif not isinstance(optimizer, opt.Optimizer):
            raise AssertionError('an optimizer is a name or an instance of mx.optimizer.Optimizer')
        elif not optimizer.idx2name:
            optimizer.idx2name = dict(enumerate(self._param_names))
        self._optimizer, self._updater, self.optimizer_initialized = (
            optimizer,
            opt.get_updater(optimizer),
            True,
        )
        self._places = {n: i for i, n in enumerate(self._param_names)}
        if getattr(self, '_preload_states', None):
            self.load_optimizer_states(self._preload_states)
            self._preload_states = None

    def _batch_size(self):
        """The size of the axis that the layouts of data and labels call N."""
        axes = [DataDesc.get_batch_axis(d.layout) for d in self._data_shapes + self._label_shapes]
        sizes = {
            d.shape[a] for d, a in zip(self._data_shapes + self._label_shapes, axes) if 0 <= a < len(d.shape)
        }
        if len(sizes) > 1:
            raise AssertionError(f'data and labels have batches of different sizes: {sorted(sizes)}')
        return sizes.pop() if sizes else self._data_shapes[0].shape[0]

    def borrow_optimizer(self, shared_module: Any) -> None:
        """Takes another module's optimizer, with its states: a parameter's state is found by its name."""
        if not shared_module.optimizer_initialized:
            raise AssertionError('the other module has no optimizer')
        self._optimizer, self._updater, self.optimizer_initialized = (
            shared_module._optimizer,
            shared_module._updater,
            True,
        )
        self._places = shared_module._places

    # ---- running
    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Computes the outputs for a batch; one of other shapes makes new arrays first."""
        self._ready()
        if isinstance(data_batch, list):
            if len(data_batch) != 1:
                raise MXNetError(f'the module has one device, and {len(data_batch)} batches were given')
            data_batch = data_batch[0]
        if len(data_batch.data) < len(self._data_shapes):
            raise ValueError(f'{len(data_batch.data)} arrays of data were given for {self._data_names}')
        given = getattr(data_batch, 'label', None) or []  # programs make batches of their own, without labels
        shapes = [(d.name, a.shape) for d, a in zip(self._data_shapes, data_batch.data)]
        if [s for _, s in shapes] != [d.shape for d in self._data_shapes]:
            labels = [(d.name, a.shape) for d, a in zip(self._label_shapes, given)]
            if not labels:
                labels = [(d.name, (shapes[0][1][0],) + d.shape[1:]) for d in self._label_shapes]
            self.reshape(
                [DataDesc(n, s, d.dtype) for (n, s), d in zip(shapes, self._data_shapes)],
                [DataDesc(n, s) for n, s in labels],
            )
        for d, array in list(zip(self._data_shapes, data_batch.data)) + list(zip(self._label_shapes, given)):
            if d.name in self._exec.arg_dict:
                self._exec.arg_dict[d.name]._np[...] = array._np
        self._exec.forward(self.for_training if is_train is None else is_train)

    def backward(self, out_grads: Any = None) -> None:
        self._ready()
        if not self.for_training:
            raise AssertionError('re-bind with for_training=True to run backward')
        self._exec.backward(out_grads)

    def update(self) -> None:
        """Changes the parameters by the gradients of the last backward."""
        self._ready()
        if not self.optimizer_initialized:
            raise AssertionError('call init_optimizer before update')
        for name in self._param_names:
            grad = self._exec.grad_dict[name]
            if grad is not None:
                self._updater(self._places[name], grad, self._exec.arg_dict[name])

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        self._ready()
        return list(self._exec.outputs) if merge_multi_context else [[o] for o in self._exec.outputs]

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        self._ready()
        if not self.inputs_need_grad:
            raise AssertionError('bind with inputs_need_grad=True')
        made = [self._exec.grad_dict[n] for n in self._data_names]
        return made if merge_multi_context else [[g] for g in made]

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The arrays of the inputs that are states (state_names)."""
        self._ready()
        made = [self._exec.arg_dict[n] for n in self._state_names]
        return made if merge_multi_context else [[s] for s in made]

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Fills the states: from arrays as get_outputs gives them, or with a number."""
        self._ready()
        if (states is None) == (value is None):
            raise AssertionError('Only one of states & value can be specified.')
        for i, name in enumerate(self._state_names):
            into = self._exec.arg_dict[name]
            given = value if states is None else states[i]
            into[:] = given[0] if isinstance(given, (list, tuple)) else given

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        eval_metric.update_dict(
            {d.name: a for d, a in zip(self._label_shapes, labels or [])},
            dict(zip(self.output_names, self._exec.outputs)),
        )

    def install_monitor(self, mon: Any) -> None:
        """Lets a mx.mon.Monitor watch the values of each batch."""
        self._bound()
        self._monitor = mon
        mon.install(self._exec)

    # ---- files
    def save_checkpoint(
        self, prefix: str, epoch: int, save_optimizer_states: bool = False, remove_amp_cast: bool = True
    ) -> None:
        """Writes symbol, parameters and, if asked for, the optimizer's states."""
        save_checkpoint(prefix, epoch, self._symbol, *self.get_params())
        if save_optimizer_states:
            name = f'{prefix}-{epoch:04d}.states'
            self.save_optimizer_states(name)
            logging.info('Saved optimizer state to "%s"', name)

    @staticmethod
    def load(prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any) -> Module:
        """A module of a checkpoint; its parameters are there once it is bound."""
        symbol, args, aux = load_checkpoint(prefix, epoch)
        made = Module(symbol, **kwargs)
        made._preload = args, aux
        made._preload_states = f'{prefix}-{epoch:04d}.states' if load_optimizer_states else None
        made._arg_params, made._aux_params, made.params_initialized = args, aux, True
        return made

    def save_optimizer_states(self, fname: Any) -> None:
        if not self.optimizer_initialized:
            raise AssertionError('there is no optimizer yet')
        write_whole(fname, self._updater.get_states())

    def load_optimizer_states(self, fname: Any) -> None:
        with open(fname, 'rb') as f:
            self._updater.set_states(f.read())
