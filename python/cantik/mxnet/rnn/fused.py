"""Layers of recurrences as the one operator RNN, with all their weights in one vector."""

from .. import initializer as init
from .. import symbol
from ..fused_weights import FusedWeights
from .cells import BaseRNNCell, GRUCell, LSTMCell, RNNCell, steps_of
from .modifiers import DropoutCell
from .stacks import BidirectionalCell, SequentialRNNCell


class FusedRNNCell(BaseRNNCell):
    """mode: 'rnn_relu', 'rnn_tanh', 'lstm' or 'gru'. get_next_state: unroll gives the states behind the last
    step too."""

    _without_zoneout = "FusedRNNCell doesn't support zoneout. Please unfuse first."

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
        self._weights = FusedWeights(num_hidden, num_layers, mode, bidirectional, self._prefix)
        self._own_params = params is None

    @property
    def state_info(self):
        shape = (len(self._directions) * self._num_layers, 0, self._num_hidden)
        return [{'shape': shape, '__layout__': 'LNC'} for _ in range(2 if self._mode == 'lstm' else 1)]

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

    # ---- weights, gate by gate
    def unpack_weights(self, args):
        args = dict(args)
        args.update(self._weights.unpacked(args.pop(self._parameter.name)))
        return args

    def pack_weights(self, args):
        args = dict(args)
        args[self._parameter.name] = self._weights.packed(args)
        return args
