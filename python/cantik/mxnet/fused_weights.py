"""The weights of the operator RNN: all matrices one behind another in a vector, then all biases."""

import math

from .ndarray import zeros
from .table.recurrent import GATES

_GATE_NAMES = {1: [''], 4: ['_i', '_f', '_c', '_o'], 3: ['_r', '_z', '_o']}


class FusedWeights:
    """How a vector is made of the weights of each gate, which have names of their own."""

    def __init__(self, num_hidden, num_layers, mode, bidirectional, prefix):
        self._num_hidden, self._num_layers, self._prefix = num_hidden, num_layers, prefix
        self._directions = ['l', 'r'] if bidirectional else ['l']
        self._mode = mode

    @property
    def _gate_names(self):
        return _GATE_NAMES[GATES[self._mode]]

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
        first = size // (ways * len(self._gate_names) * h)
        return first - (self._num_layers - 1) * (h * ways + h + 2) - h - 2

    def unpacked(self, vector):
        """A copy of each gate's weights, by their names."""
        found, at = {}, 0
        for name, shape in self._parts(self._features(vector.size)):
            size = math.prod(shape)
            found[name] = vector[at : at + size].reshape(shape).copy()
            at += size
        return found

    def packed(self, weights):
        """The vector. Those that are in it are taken out of the dictionary."""
        first = weights['{}l0_i2h{}_weight'.format(self._prefix, self._gate_names[0])]
        parts = list(self._parts(first.shape[1]))
        vector = zeros((sum(math.prod(shape) for _, shape in parts),), first.context, first.dtype)
        at = 0
        for name, shape in parts:
            size = math.prod(shape)
            vector[at : at + size] = weights.pop(name).reshape((size,))
            at += size
        return vector
