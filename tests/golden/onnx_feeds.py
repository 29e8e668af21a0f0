"""What models in onnx_pytorch/ are given, for the script that makes them and for the tests."""

import numpy as np

RATE = 0.05  # of the training


def feeds_of(inputs, sizes, seed=1):
    """Arrays for the inputs of a model: {name: [kind, size, ...]}, where a size is a number or a name."""
    random = np.random.RandomState(seed)
    feeds = {}
    for name, (kind, *shape) in inputs.items():
        shape = [sizes.get(s, s) for s in shape]
        if kind == 'real':
            feeds[name] = random.uniform(-1, 1, shape).astype(np.float32)
        elif kind.startswith('below '):
            feeds[name] = random.randint(0, int(kind[6:]), shape).astype(np.int64)
        elif kind.startswith('lengths '):  # the longest first, which takes all steps
            steps = sizes[kind[8:]]
            lengths = np.sort(random.randint(1, steps + 1, shape))[::-1].astype(np.int64)
            lengths[0] = steps
            feeds[name] = lengths.copy()
        elif kind == 'padding':  # the last steps of a sequence are none
            batch, steps = shape
            lengths = np.maximum(1, steps - np.arange(batch) % steps)
            feeds[name] = np.arange(steps)[None, :] >= lengths[:, None]
        else:
            raise ValueError(kind)
    return feeds
