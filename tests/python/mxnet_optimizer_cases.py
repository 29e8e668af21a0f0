"""What optimizers of MXNet do: each case once by the real MXNet 1.9.1 and once by ours.

MXNET_PYTHON tests/python/mxnet_optimizer_cases.py tests/golden/mxnet_optimizers.npz     writes the figures of
whichever mxnet it imports
"""

import sys

import numpy as np

COMMON = [{}, {'wd': 0.1, 'rescale_grad': 0.5, 'clip_gradient': 0.3}]
OPTIMIZERS = [
    ('sgd', {}),
    ('sgd', {'momentum': 0.9}),
    ('nag', {}),
    ('nag', {'momentum': 0.9}),
    ('signum', {}),
    ('signum', {'momentum': 0.0}),
    ('signum', {'wd_lh': 0.1}),
    ('adam', {}),
    ('adam', {'beta1': 0.5, 'epsilon': 0.1}),
    ('rmsprop', {}),
    ('rmsprop', {'clip_weights': 1.5}),
    ('rmsprop', {'centered': True}),
    ('ftrl', {}),
    ('adagrad', {}),
    ('adadelta', {}),
    ('adamax', {}),
    ('nadam', {}),
    ('nadam', {'schedule_decay': 0.1}),
    ('ftml', {}),
    ('ftml', {'beta1': 0.3}),
    ('dcasgd', {}),
    ('dcasgd', {'lamda': 0.5}),
    ('lamb', {}),
    ('lamb', {'bias_correction': False}),
    ('lamb', {'lower_bound': 0.1, 'upper_bound': 0.5}),
    ('lars', {}),
    ('lars', {'momentum': 0.9, 'eta': 0.1}),
    ('ccsgd', {'momentum': 0.9}),
    ('test', {}),
]
MULTI_PRECISION = ['sgd', 'nag', 'adam', 'nadam', 'ftml', 'lamb', 'signum', 'adamax', 'rmsprop']


def cases():
    """Name, optimizer, its options, element type."""
    for name, more in OPTIMIZERS:
        for common in COMMON:
            options = {**more, **common}
            if name == 'test':
                options = {k: v for k, v in options.items() if k == 'rescale_grad'}
            yield (
                '{} {}'.format(name, ' '.join('{}={}'.format(*o) for o in sorted(options.items()))),
                name,
                options,
                'float32',
            )
    for name in MULTI_PRECISION:
        more = {'momentum': 0.9} if name in ('sgd', 'nag') else {}
        yield f'{name} in two precisions', name, {**more, 'multi_precision': True}, 'float16'
        yield (
            f'{name} in two precisions with decay',
            name,
            {**more, 'multi_precision': True, **COMMON[1]},
            'float16',
        )
    for name in ('sgd', 'nag', 'adam', 'signum'):
        yield f'{name} in half precision', name, {}, 'float16'


def leaves(value):
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in leaves(v)]
    return [] if value is None else [value.asnumpy()]


def run(mx, name, options, dtype):
    """The weights after each of four updates, and the states behind the last, of two parameters."""
    optimizer = mx.optimizer.create(
        name,
        param_idx2name={0: 'a_weight', 1: 'a_bias'},
        **({'learning_rate': 0.1, **options} if name != 'test' else options),
    )
    updater = mx.optimizer.get_updater(optimizer)
    figures = []
    for index, shape in enumerate([(2, 3), (3,)]):
        numbers = np.random.RandomState(index)
        weight = mx.nd.array(numbers.uniform(-2, 2, shape).astype(dtype), dtype=dtype)
        for _ in range(4):
            updater(index, mx.nd.array(numbers.uniform(-1, 1, shape).astype(dtype), dtype=dtype), weight)
            figures.append(weight.asnumpy())
        figures += leaves(updater.states[index])
    return figures


def flat(arrays):
    """All numbers, one array behind the other."""
    return np.concatenate([a.astype(np.float64).ravel() for a in arrays])


def main(path):
    import mxnet as mx

    figures = {}
    for label, name, options, dtype in cases():
        try:
            made = run(mx, name, options, dtype)
        except Exception as e:
            print(label, str(e).strip().splitlines()[-1][:150])
            continue
        figures[label] = flat(made)
    np.savez_compressed(path, **figures)


if __name__ == '__main__':
    main(sys.argv[1])
