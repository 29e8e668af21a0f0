"""Every layer that is saved and loaded again has its types, its parameters and its values."""

import numpy as np
import pytest

import cantik as C
from cantik import layers as L

RNG = np.random.RandomState(0)
IMAGE, ROW = (3, 6, 6), (4,)
SEQUENCES = [RNG.randn(n, 4).astype(np.float32) for n in (3, 1, 2)]

ON_IMAGES = {
    'convolution': lambda: L.Convolution((3, 3), 4, activation=C.relu),
    'convolution_2d': lambda: L.Convolution2D((3, 3), 4, pad=True, strides=2),
    'dilated': lambda: L.Convolution2D((2, 2), 4, dilation=2),
    'transpose': lambda: L.ConvolutionTranspose2D((3, 3), 2, strides=2),
    'max_pooling': lambda: L.MaxPooling((2, 2), strides=2),
    'average_pooling': lambda: L.AveragePooling((3, 3), pad=True),
    'global_max_pooling': L.GlobalMaxPooling,
    'global_average_pooling': L.GlobalAveragePooling,
    'normalized': lambda: L.BatchNormalization(map_rank=1),
    'whole': lambda: L.LayerNormalization(),
    'residual': lambda: L.ResNetBlock(L.Convolution2D((3, 3), 3, pad=True)),
    'unpooling': lambda: lambda x: L.MaxUnpooling((2, 2), strides=2)(L.MaxPooling((2, 2), strides=2)(x), x),
}
ON_ROWS = {
    'dense': lambda: L.Dense((2, 3), activation=C.tanh),
    'embedding': lambda: L.Embedding(3),
    'weights': lambda: L.Embedding(weights=np.ones((4, 2), np.float32)),
    'dropout': lambda: L.Dropout(0.5),
    'activation': lambda: L.Activation(C.sigmoid),
    'stabilizer': L.Stabilizer,
    'label': lambda: L.Label('here'),
    'sequential': lambda: L.Sequential([L.Dense(3), [L.Stabilizer(), C.relu]]),
    'for': lambda: L.For(range(2), lambda i: L.Dense(3 + i)),
    'clique': lambda: L.SequentialClique([L.Dense(4), L.Dense(4)]),
}
ON_SEQUENCES = {
    'lstm': lambda: L.Recurrence(L.LSTM(3)),
    'peepholes': lambda: L.Recurrence(L.LSTM(3, use_peepholes=True, enable_self_stabilization=True)),
    'gru': lambda: L.Recurrence(L.GRU(3), go_backwards=True),
    'step': lambda: L.Recurrence(L.RNNStep(3)),
    'state': lambda: L.Recurrence(L.LSTM(3), return_full_state=True),
    'fold': lambda: L.Fold(L.GRU(3)),
    'delay': lambda: L.Delay(1),
    'window': lambda: lambda x: C.combine(L.PastValueWindow(2, axis=-1)(x)),
    'sequential_convolution': lambda: L.SequentialConvolution(2, 3),
    'attention': lambda: lambda x: L.AttentionModel(3)(x, C.sequence.last(x)),
}


def values(f, data):
    results = f.eval(data)
    results = [results[o] for o in f.outputs] if isinstance(results, dict) else [results]
    return [np.concatenate(r) if isinstance(r, list) else r for r in results]


@pytest.mark.parametrize('name', [*ON_IMAGES, *ON_ROWS, *ON_SEQUENCES])
def test_a_layer_comes_back(name, tmp_path):
    if name in ON_IMAGES:
        x, data = C.input_variable(IMAGE), RNG.randn(2, *IMAGE).astype(np.float32)
    elif name in ON_ROWS:
        x, data = C.input_variable(ROW), RNG.randn(2, *ROW).astype(np.float32)
    else:
        x, data = C.sequence.input_variable(4), SEQUENCES
    f = {**ON_IMAGES, **ON_ROWS, **ON_SEQUENCES}[name]()(x)
    f.save(tmp_path / 'layer')
    again = C.load_model(tmp_path / 'layer')
    assert [(o.shape, o.dtype, len(o.dynamic_axes)) for o in again.outputs] == [
        (o.shape, o.dtype, len(o.dynamic_axes)) for o in f.outputs
    ]
    assert [p.shape for p in again.parameters] == [p.shape for p in f.parameters]
    for ours, theirs in zip(values(f, data), values(again, data)):
        np.testing.assert_array_equal(ours, theirs)
