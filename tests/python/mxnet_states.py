"""Files of optimizers' states as MXNet 1.9.1 writes them, with the numbers in them.

MXNET_PYTHON tests/python/mxnet_states.py tests/golden/mxnet_states.npz
"""

import pickle
import sys

import numpy as np

OPTIMIZERS = [
    ('sgd', {}),
    ('sgd', {'momentum': 0.9}),
    ('sgd', {'momentum': 0.9, 'multi_precision': True}),
    ('adam', {}),
    ('ftml', {}),
    ('rmsprop', {'centered': True}),
    ('nadam', {}),
    ('lamb', {}),
]


def leaves(value):
    """The arrays of a state, in order."""
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in leaves(v)]
    return [] if value is None else [value.asnumpy()]


def main(path):
    import mxnet as mx

    kept = {}
    for name, more in OPTIMIZERS:
        updater = mx.optimizer.get_updater(mx.optimizer.create(name, learning_rate=0.1, **more))
        for index, dtype in enumerate(['float32', 'float16' if 'multi_precision' in more else 'float32']):
            updater(index, mx.nd.array([[0.5, -1.0]], dtype=dtype), mx.nd.array([[1.0, 2.0]], dtype=dtype))
        label = '{} {}'.format(name, ' '.join(sorted(more)))
        kept[label + '/file'] = np.frombuffer(updater.get_states(), np.uint8)
        for index, state in updater.states.items():
            for i, array in enumerate(leaves(state)):
                kept[f'{label}/{index}/{i}'] = array
        if name == 'adam':
            kept['with the optimizer'] = np.frombuffer(updater.get_states(dump_optimizer=True), np.uint8)
            for protocol in (2, 3, 5):
                kept[f'adam in protocol {protocol}'] = np.frombuffer(
                    pickle.dumps(updater.states, protocol), np.uint8
                )
    np.savez_compressed(path, **kept)


if __name__ == '__main__':
    main(sys.argv[1])
