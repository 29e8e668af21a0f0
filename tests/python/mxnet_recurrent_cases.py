"""The operator RNN: name, operator, operands, attributes, operands without gradients."""

import numpy as np


def numbers(*shape, low=-1.0, high=1.0, seed=0):
    return np.random.RandomState(seed + sum(shape)).uniform(low, high, shape).astype(np.float32)


def cases():
    gates = {'rnn_relu': 1, 'rnn_tanh': 1, 'lstm': 4, 'gru': 3}
    for mode in gates:
        for layers in (1, 2):
            for both in (False, True):
                ways, h, features = 2 if both else 1, 3, 2
                size = sum(
                    ways * gates[mode] * h * ((features if i == 0 else h * ways) + h + 2)
                    for i in range(layers)
                )
                states = [numbers(layers * ways, 4, h, seed=k) for k in range(2 if mode == 'lstm' else 1)]
                more = {
                    'mode': mode,
                    'state_size': h,
                    'num_layers': layers,
                    'bidirectional': both,
                    'state_outputs': True,
                }
                yield (
                    'RNN {} of {} layers{}'.format(mode, layers, ', both ways' if both else ''),
                    'RNN',
                    [numbers(5, 4, features), numbers(size), *states],
                    more,
                )
    lstm = {'mode': 'lstm', 'state_size': 3, 'num_layers': 1}
    vector, state, cell = numbers(84), numbers(1, 4, 3), numbers(1, 4, 3, seed=1)
    yield 'RNN without states behind it', 'RNN', [numbers(5, 4, 2), vector, state, cell], lstm
    yield 'RNN of one step', 'RNN', [numbers(1, 4, 2), vector, state, cell], {**lstm, 'state_outputs': True}
