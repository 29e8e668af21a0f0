"""Layers of recurrences as the one operator RNN, with all their weights in one vector."""

import math

from .. import initializer as init
from .. import symbol
from ..ndarray import zeros
from ..table.recurrent import GATES
from .cells import BaseRNNCell, GRUCell, LSTMCell, RNNCell, steps_of

_GATE_NAMES = {1: [''], 4: ['_i', '_f', '_c', '_o'], 3: ['_r', '_z', '_o']}


class FusedRNNCell(BaseRNNCell):
    """mode: 'rnn_relu', 'rnn_tanh', 'lstm' or 'gru'. get_next_state: unroll gives the states behind the last
    step too."""

    def __init__(
        self,
        num_hidden,
        num_layers=1,
        mode='lstm',
        bidirectional=False,
        dropout=0.0,
        get_next_state=False,
        forget_bias=1.0,
        prefix=None,
        params=None,
    ):
        super().__init__('{}_'.format(mode) if prefix is None else prefix, params)
        self._num_hidden, self._num_layers, self._mode, self._bidirectional, self._dropout = (
            num_hidden,
            num_layers,
            mode,
            bidirectional,
            dropout,
        )
        self._get_next_state, self._directions = get_next_state, ['l', 'r'] if bidirectional else ['l']
        first = init.FusedRNN(None, num_hidden, num_layers, mode, bidirectional, forget_bias)
        self._parameter = self.params.get('parameters', init=first)
        self._own_params = params is None

    @property
    def state_info(self):
        shape = (len(self._directions) * self._num_layers, 0, self._num_hidden)
        return [{'shape': shape, '__layout__': 'LNC'} for _ in range(2 if self._mode == 'lstm' else 1)]

    @property
    def _gate_names(self):
        return _GATE_NAMES[GATES[self._mode]]

    @property
    def _num_gates(self):
        return len(self._gate_names)

    def __call__(self, inputs, states):
        raise NotImplementedError('FusedRNNCell cannot be stepped. Please use unroll')

    def unroll(self, length, inputs, begin_state=None, layout='NTC', merge_outputs=None):
        self.reset()
        inputs, axis = steps_of(length, inputs, layout, True)
        if axis == 1:
            inputs = symbol.swapaxes(inputs, dim1=0, dim2=1)
        states = self.begin_state() if begin_state is None else begin_state
        made = symbol.RNN(
            data=inputs,
            parameters=self._parameter,
            state_size=self._num_hidden,
            num_layers=self._num_layers,
            bidirectional=self._bidirectional,
            p=self._dropout,
            state_outputs=self._get_next_state,
            mode=self._mode,
            name=self._prefix + 'rnn',
            **dict(zip(('state', 'state_cell'), states)),
        )
        if self._get_next_state:
            made._set_attr(__layout__='LNC')
            outputs, states = made[0], [made[i] for i in range(1, 1 + len(states))]
        else:
            outputs, states = made, []
        if axis == 1:
            outputs = symbol.swapaxes(outputs, dim1=0, dim2=1)
        outputs, _ = steps_of(length, outputs, layout, merge_outputs)
        return outputs, states

    def unfuse(self):
        """The same layers as cells, which can be stepped."""
        from .modifiers import DropoutCell
        from .stacks import BidirectionalCell, SequentialRNNCell

        make = {
            'rnn_relu': lambda prefix: RNNCell(self._num_hidden, activation='relu', prefix=prefix),
            'rnn_tanh': lambda prefix: RNNCell(self._num_hidden, activation='tanh', prefix=prefix),
            'lstm': lambda prefix: LSTMCell(self._num_hidden, prefix=prefix),
            'gru': lambda prefix: GRUCell(self._num_hidden, prefix=prefix),
        }[self._mode]
        stack = SequentialRNNCell()
        for i in range(self._num_layers):
            cells = [make('{}{}{}_'.format(self._prefix, d, i)) for d in self._directions]
            stack.add(
                BidirectionalCell(*cells, output_prefix='{}bi_l{}_'.format(self._prefix, i))
                if self._bidirectional
                else cells[0]
            )
            if self._dropout > 0 and i + 1 < self._num_layers:
                stack.add(DropoutCell(self._dropout, prefix='{}_dropout{}_'.format(self._prefix, i)))
        return stack

    # ---- weights: in the vector all matrices, then all biases
    def _parts(self, features):
        """Names and shapes of the gates' weights in the vector's order."""
        h, ways = self._num_hidden, len(self._directions)
        for kind in ('weight', 'bias'):
            for layer in range(self._num_layers):
                for d in self._directions:
                    for group, columns in (('i2h', features if layer == 0 else h * ways), ('h2h', h)):
                        for gate in self._gate_names:
                            yield (
                                '{}{}{}_{}{}_{}'.format(self._prefix, d, layer, group, gate, kind),
                                (h, columns) if kind == 'weight' else (h,),
                            )

    def _features(self, size):
        """How many numbers an input has, from the size of the vector."""
        h, ways = self._num_hidden, len(self._directions)
        return size // (ways * self._num_gates * h) - (self._num_layers - 1) * (h * ways + h + 2) - h - 2

    def unpack_weights(self, args):
        args = dict(args)
        vector = args.pop(self._parameter.name)
        at = 0
        for name, shape in self._parts(self._features(vector.size)):
            size = math.prod(shape)
            args[name] = vector[at : at + size].reshape(shape).copy()
            at += size
        return args

    def pack_weights(self, args):
        args = dict(args)
        first = args['{}l0_i2h{}_weight'.format(self._prefix, self._gate_names[0])]
        parts = list(self._parts(first.shape[1]))
        vector = zeros((sum(math.prod(shape) for _, shape in parts),), first.context, first.dtype)
        at = 0
        for name, shape in parts:
            size = math.prod(shape)
            vector[at : at + size] = args.pop(name).reshape((size,))
            at += size
        args[self._parameter.name] = vector
        return args
