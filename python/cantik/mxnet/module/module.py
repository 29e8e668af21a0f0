"""Module: a symbol with its parameters and an optimizer."""

import logging
import warnings

from .. import context as ctx, optimizer as opt
from ..base import as_dtype, missing
from ..symbol.executor import simple_bind
from ..files import write_whole
from ..initializer import InitDesc, Uniform
from ..io.batch import DataDesc
from ..model import load_checkpoint, save_checkpoint
from .base import BaseModule, listed
from .group import ExecutorGroup


def described(shapes):
    """Descriptions of data, from those or from pairs of name and shape."""
    return [s if isinstance(s, DataDesc) else DataDesc(*s) for s in shapes or []]


class Module(BaseModule):
    """A symbol, trained by feeding data and labels by their names."""

    def __init__(
        self,
        symbol,
        data_names=('data',),
        label_names=('softmax_label',),
        logger=logging,
        context=ctx.cpu(),
        work_load_list=None,
        fixed_param_names=None,
        state_names=None,
        group2ctxs=None,
        compression_params=None,
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
    def data_names(self):
        return self._data_names

    @property
    def label_names(self):
        return self._label_names

    @property
    def output_names(self):
        return self._symbol.list_outputs()

    @property
    def data_shapes(self):
        self._bound()
        return self._data_shapes

    @property
    def label_shapes(self):
        self._bound()
        return self._label_shapes

    @property
    def output_shapes(self):
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
        data_shapes,
        label_shapes=None,
        for_training=True,
        inputs_need_grad=False,
        force_rebind=False,
        shared_module=None,
        grad_req='write',
    ):
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
                "Data provided by data_shapes don't match names specified by data_names ({} vs. {})".format(
                    self._data_shapes, self._data_names
                )
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
        requests = {n: 'null' for n in self._arguments}
        if self.for_training:
            for n in self._param_names:
                requests[n] = (
                    'null'
                    if n in self._fixed
                    else self._grad_req
                    if isinstance(self._grad_req, str)
                    else self._grad_req.get(n, 'null')
                )
            if self.inputs_need_grad:
                requests.update({n: 'write' for n in self._data_names})
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
                raise RuntimeError(
                    'the parameter {} has the shape {} here, {} in the module that it is shared with'.format(
                        n, self._exec.arg_dict[n].shape, shared.arg_dict[n].shape
                    )
                )

    def reshape(self, data_shapes, label_shapes=None):
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
        initializer=Uniform(0.01),
        arg_params=None,
        aux_params=None,
        allow_missing=False,
        force_init=False,
        allow_extra=False,
    ):
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
                        raise ValueError(
                            '{} has the shape {}, the model {}'.format(name, given[name].shape, array.shape)
                        )
                    given[name].copyto(array)
                return
            if given is not None and not allow_missing:
                raise RuntimeError('{} is not presented'.format(name))
            if initializer is not None:
                initializer(InitDesc(name, attrs.get(name)), array)

        given_args = arg_params if arg_params is not None else preloaded[0]
        given_aux = aux_params if aux_params is not None else preloaded[1]
        for name in sorted(self._param_names):
            fill(name, self._exec.arg_dict[name], given_args)
        for name in sorted(self._aux_names):
            fill(name, self._exec.aux_dict[name], given_aux)
        extra = [n for n in given_args or () if n not in self._param_names]
        if extra and not allow_extra and arg_params is not None:
            raise ValueError('Find name "{}" that is not in the arguments'.format(extra[0]))
        self.params_initialized = True
        self._remember()

    def _remember(self):
        self._arg_params = {n: self._exec.arg_dict[n] for n in self._param_names}
        self._aux_params = {n: self._exec.aux_dict[n] for n in self._aux_names}

    def get_params(self):
        """Copies of parameters and auxiliary states, by name."""
        self._ready()
        self._remember()
        return {n: a.copy() for n, a in self._arg_params.items()}, {
            n: a.copy() for n, a in self._aux_params.items()
        }

    # ---- optimizer
    def init_optimizer(
        self, kvstore='local', optimizer='sgd', optimizer_params=(('learning_rate', 0.01),), force_init=False
    ):
        """Which optimizer changes the parameters. Gradients are divided by the batch size unless rescale_grad
        is given."""
        self._ready()
        if self.optimizer_initialized and not force_init:
            self.logger.warning('optimizer already initialized, ignoring...')
            return
        if isinstance(kvstore, str) and kvstore.startswith('dist'):
            missing('the key-value store {!r}'.format(kvstore))
        if isinstance(optimizer, str):
            params = dict(optimizer_params)
            params.setdefault('rescale_grad', 1.0 / self._data_shapes[0].shape[0])
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

    def borrow_optimizer(self, shared_module):
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
    def forward(self, data_batch, is_train=None):
        """Computes the outputs for a batch; one of other shapes makes new arrays first."""
        self._ready()
        if isinstance(data_batch, (list, tuple)):
            data_batch = data_batch[0]
        shapes = [(d.name, a.shape) for d, a in zip(self._data_shapes, data_batch.data)]
        if [s for _, s in shapes] != [d.shape for d in self._data_shapes]:
            labels = [(d.name, a.shape) for d, a in zip(self._label_shapes, data_batch.label or [])]
            if not labels:
                labels = [(d.name, (shapes[0][1][0],) + d.shape[1:]) for d in self._label_shapes]
            self.reshape(
                [DataDesc(n, s, d.dtype) for (n, s), d in zip(shapes, self._data_shapes)],
                [DataDesc(n, s) for n, s in labels],
            )
        for d, array in list(zip(self._data_shapes, data_batch.data)) + list(
            zip(self._label_shapes, data_batch.label or [])
        ):
            if d.name in self._exec.arg_dict:
                self._exec.arg_dict[d.name]._np[...] = array._np
        self._exec.forward(self.for_training if is_train is None else is_train)

    def backward(self, out_grads=None):
        self._ready()
        self._exec.backward(out_grads)

    def update(self):
        """Changes the parameters by the gradients of the last backward."""
        self._ready()
        if not self.optimizer_initialized:
            raise AssertionError('call init_optimizer before update')
        for name in self._param_names:
            grad = self._exec.grad_dict[name]
            if grad is not None:
                self._updater(self._places[name], grad, self._exec.arg_dict[name])

    def get_outputs(self, merge_multi_context=True):
        self._ready()
        return list(self._exec.outputs) if merge_multi_context else [[o] for o in self._exec.outputs]

    def get_input_grads(self, merge_multi_context=True):
        self._ready()
        if not self.inputs_need_grad:
            raise AssertionError('bind with inputs_need_grad=True')
        made = [self._exec.grad_dict[n] for n in self._data_names]
        return made if merge_multi_context else [[g] for g in made]

    def get_states(self, merge_multi_context=True):
        """The arrays of the inputs that are states (state_names)."""
        self._ready()
        made = [self._exec.arg_dict[n] for n in self._state_names]
        return made if merge_multi_context else [[s] for s in made]

    def set_states(self, states=None, value=None):
        """Fills the states: from arrays as get_outputs gives them, or with a number."""
        self._ready()
        if (states is None) == (value is None):
            raise AssertionError('Only one of states & value can be specified.')
        for i, name in enumerate(self._state_names):
            into = self._exec.arg_dict[name]
            given = value if states is None else states[i]
            into[:] = given[0] if isinstance(given, (list, tuple)) else given

    def update_metric(self, eval_metric, labels, pre_sliced=False):
        eval_metric.update_dict(
            {d.name: a for d, a in zip(self._label_shapes, labels or [])},
            dict(zip(self.output_names, self._exec.outputs)),
        )

    def install_monitor(self, mon):
        """Lets a mx.mon.Monitor watch the values of each batch."""
        self._bound()
        self._monitor = mon
        mon.install(self._exec)

    # ---- files
    def save_checkpoint(self, prefix, epoch, save_optimizer_states=False, remove_amp_cast=True):
        """Writes symbol, parameters and, if asked for, the optimizer's states."""
        save_checkpoint(prefix, epoch, self._symbol, *self.get_params())
        if save_optimizer_states:
            name = '{}-{:04d}.states'.format(prefix, epoch)
            self.save_optimizer_states(name)
            logging.info('Saved optimizer state to "%s"', name)

    @staticmethod
    def load(prefix, epoch, load_optimizer_states=False, **kwargs):
        """A module of a checkpoint; its parameters are there once it is bound."""
        symbol, args, aux = load_checkpoint(prefix, epoch)
        made = Module(symbol, **kwargs)
        made._preload = args, aux
        made._preload_states = '{}-{:04d}.states'.format(prefix, epoch) if load_optimizer_states else None
        made._arg_params, made._aux_params, made.params_initialized = args, aux, True
        return made

    def save_optimizer_states(self, fname):
        if not self.optimizer_initialized:
            raise AssertionError('there is no optimizer yet')
        write_whole(fname, self._updater.get_states())

    def load_optimizer_states(self, fname):
        with open(fname, 'rb') as f:
            self._updater.set_states(f.read())
