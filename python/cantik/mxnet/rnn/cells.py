"""Cells: one step of a recurrence as a graph, and its unrolling over the steps of sequences."""

from .. import initializer as init
from .. import symbol
from ..ndarray import concat
from ..symbol import Symbol


class RNNParams:
    """Variables by name, made when they are first asked for: cells that have one of these in common have
    their weights in common."""

    def __init__(self, prefix=''):
        self._prefix, self._params = prefix, {}

    def get(self, name, **kwargs):
        name = self._prefix + name
        if name not in self._params:
            self._params[name] = symbol.Variable(name, **kwargs)
        return self._params[name]


def steps_of(length, inputs, layout, merge, given_layout=None):
    """Sequences as cells take or give them: one value with an axis of steps, or a list of the steps' values.

    merge: True makes one value, False a list, None leaves them as they are. given_layout: that of the inputs,
    where it is another.

    Returns:
        the sequences and the place of their axis of steps
    """
    if inputs is None:
        raise AssertionError('unroll(inputs=None) is not there: make the inputs first, as variables')
    axis = layout.find('T')
    given = axis if given_layout is None else given_layout.find('T')
    if isinstance(inputs, Symbol):
        if merge is not False:
            return (symbol.swapaxes(inputs, dim1=axis, dim2=given) if axis != given else inputs), axis
        if len(inputs.list_outputs()) != 1:
            raise AssertionError(
                "unroll doesn't allow grouped symbol as input. Please convert to list with list(inputs) "
                "first or let unroll handle splitting."
            )
        return list(symbol.split(inputs, axis=given, num_outputs=length, squeeze_axis=1)), axis
    if length is not None and len(inputs) != length:
        raise AssertionError('{} steps were given, {} are to be unrolled'.format(len(inputs), length))
    if not merge:
        return list(inputs), axis
    return symbol.concat(*[symbol.expand_dims(i, axis=axis) for i in inputs], dim=axis), axis


class BaseRNNCell:
    """A cell is called with the input of a step and the states before it, and gives an output and the states
    behind it.

    prefix: in front of the names of its nodes, and of its weights where `params` does not bring those of
    another cell.
    """

    _without_zoneout = None  # of cells that ZoneoutCell refuses, the reason

    def __init__(self, prefix='', params=None):
        self._own_params = params is None
        self._prefix, self._params = prefix, RNNParams(prefix) if params is None else params
        self._modified = False
        self.reset()

    def reset(self):
        """Begins the numbers in names anew, for another graph."""
        self._init_counter = self._counter = -1
        for cell in getattr(self, '_cells', ()):
            cell.reset()

    def __call__(self, inputs, states):
        raise NotImplementedError('a cell has to define its step')

    @property
    def params(self):
        self._own_params = False
        return self._params

    @property
    def state_info(self):
        """Of each state a dictionary with its shape, 0 for the batch, and its layout."""
        raise NotImplementedError('a cell has to describe its states')

    @property
    def state_shape(self):
        return [state['shape'] for state in self.state_info]

    @property
    def _gate_names(self):
        return ()

    def _step_name(self):
        self._counter += 1
        return '{}t{}_'.format(self._prefix, self._counter)

    def _callable(self):
        if self._modified:
            raise AssertionError(
                'After applying modifier cells (e.g. DropoutCell) the base cell cannot be called directly. '
                'Call the modifier cell instead.'
            )

    def begin_state(self, func=symbol.zeros, **kwargs):
        """The states before the first step: zeros, or what `func` makes of a name, a shape and `kwargs`."""
        self._callable()
        states = []
        for info in self.state_info:
            self._init_counter += 1
            states.append(
                func(
                    name='{}begin_state_{}'.format(self._prefix, self._init_counter),
                    **{**(info or {}), **kwargs},
                )
            )
        return states

    def unroll(self, length, inputs, begin_state=None, layout='NTC', merge_outputs=None):
        """The outputs of all steps, and the states behind the last.

        inputs: one value in the given layout (T steps, N batch, C features), or a list of a value for each
        step. merge_outputs: True gives one value, False a list, None what comes at less work.
        """
        self.reset()
        inputs, _ = steps_of(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        outputs = []
        for one in inputs:
            output, states = self(one, states)
            outputs.append(output)
        outputs, _ = steps_of(length, outputs, layout, merge_outputs)
        return outputs, states

    @staticmethod
    def _get_activation(inputs, activation, **kwargs):
        if isinstance(activation, str):
            return symbol.Activation(inputs, act_type=activation, **kwargs)
        return activation(inputs, **kwargs)

    # ---- weights, gate by gate
    def _groups(self):
        for group in ('i2h', 'h2h'):
            for kind in ('weight', 'bias'):
                yield (
                    '{}{}_{}'.format(self._prefix, group, kind),
                    ['{}{}{}_{}'.format(self._prefix, group, gate, kind) for gate in self._gate_names],
                )

    def unpack_weights(self, args):
        """The parameters with the gates' weights as arrays of their own."""
        args = dict(args)
        for whole, parts in self._groups() if self._gate_names else ():
            array = args.pop(whole)
            rows = array.shape[0] // len(parts)
            args.update((name, array[i * rows : (i + 1) * rows].copy()) for i, name in enumerate(parts))
        return args

    def pack_weights(self, args):
        """The opposite of unpack_weights."""
        args = dict(args)
        for whole, parts in self._groups() if self._gate_names else ():
            arrays = [args.pop(name) for name in parts]
            args[whole] = concat(*arrays, dim=0) if len(arrays) > 1 else arrays[0]
        return args


class GatedCell(BaseRNNCell):
    """Of num_hidden units; its gates are affine functions of the input and of the state."""

    states = 1

    def __init__(self, num_hidden, prefix, params, i2h_bias={}):
        super().__init__(prefix, params)
        self._num_hidden = num_hidden
        self._iW, self._iB = self.params.get('i2h_weight'), self.params.get('i2h_bias', **i2h_bias)
        self._hW, self._hB = self.params.get('h2h_weight'), self.params.get('h2h_bias')
        self._own_params = params is None

    @property
    def state_info(self):
        return [{'shape': (0, self._num_hidden), '__layout__': 'NC'} for _ in range(self.states)]

    def _affine(self, inputs, state, name):
        units = self._num_hidden * len(self._gate_names)
        i2h = symbol.FullyConnected(
            data=inputs, weight=self._iW, bias=self._iB, num_hidden=units, name=name + 'i2h'
        )
        return i2h, symbol.FullyConnected(
            data=state, weight=self._hW, bias=self._hB, num_hidden=units, name=name + 'h2h'
        )


class RNNCell(GatedCell):
    """h' = activation(W x + b + V h + c)."""

    def __init__(self, num_hidden, activation='tanh', prefix='rnn_', params=None):
        super().__init__(num_hidden, prefix, params)
        self._activation = activation

    @property
    def _gate_names(self):
        return ('',)

    def __call__(self, inputs, states):
        name = self._step_name()
        i2h, h2h = self._affine(inputs, states[0], name)
        output = self._get_activation(i2h + h2h, self._activation, name=name + 'out')
        return output, [output]


class LSTMCell(GatedCell):
    """Long short-term memory (Hochreiter, Schmidhuber 1997), with forget gates."""

    states = 2

    def __init__(self, num_hidden, prefix='lstm_', params=None, forget_bias=1.0):
        super().__init__(num_hidden, prefix, params, {'init': init.LSTMBias(forget_bias=forget_bias)})

    @property
    def _gate_names(self):
        return ['_i', '_f', '_c', '_o']

    def __call__(self, inputs, states):
        name = self._step_name()
        i2h, h2h = self._affine(inputs, states[0], name)
        gates = list(symbol.SliceChannel(i2h + h2h, num_outputs=4, name=name + 'slice'))
        enter, forget, change, out = (
            symbol.Activation(gate, act_type=act, name=name + letter)
            for gate, act, letter in zip(gates, ('sigmoid', 'sigmoid', 'tanh', 'sigmoid'), 'ifco')
        )
        cell = symbol.elemwise_add(forget * states[1], enter * change, name=name + 'state')
        hidden = symbol.elemwise_mul(out, symbol.Activation(cell, act_type='tanh'), name=name + 'out')
        return hidden, [hidden, cell]


class GRUCell(GatedCell):
    """A gated recurrent unit (Cho et al. 2014), whose reset gate acts on what comes of the state."""

    def __init__(self, num_hidden, prefix='gru_', params=None):
        super().__init__(num_hidden, prefix, params)

    @property
    def _gate_names(self):
        return ['_r', '_z', '_o']

    def __call__(self, inputs, states):
        name = self._step_name()
        i2h, h2h = (
            list(symbol.SliceChannel(v, num_outputs=3, name='{}_{}_slice'.format(name, which)))
            for v, which in zip(self._affine(inputs, states[0], name + '_'), ('i2h', 'h2h'))
        )
        reset = symbol.Activation(i2h[0] + h2h[0], act_type='sigmoid', name=name + '_r_act')
        keep = symbol.Activation(i2h[1] + h2h[1], act_type='sigmoid', name=name + '_z_act')
        new = symbol.Activation(i2h[2] + reset * h2h[2], act_type='tanh', name=name + '_h_act')
        hidden = symbol.elemwise_add((1.0 - keep) * new, keep * states[0], name=name + 'out')
        return hidden, [hidden]
