"""Axes of any size: what cannot be inferred from them, and what is computed over all of them."""

import numpy as np
import pytest

import cantik as C

FREE = C.FreeDimension


def plus_parameter(x):
    return x + C.parameter(C.InferredDimension)


@pytest.mark.parametrize(
    'layer, shape',
    [
        (C.layers.Dense(3), FREE),
        (C.layers.Dense(3), (FREE, 4)),
        (C.layers.Dense(3, map_rank=1), (4, FREE)),
        (C.layers.Embedding(3), FREE),
        (C.layers.LayerNormalization(), FREE),
        (C.layers.Convolution2D((3, 3), 4), (FREE, 5, 5)),
        (C.layers.ConvolutionTranspose2D((3, 3), 4), (FREE, 5, 5)),
        (plus_parameter, FREE),
    ],
)
def test_no_parameter_takes_its_size_from_a_free_axis(layer, shape):
    with pytest.raises(ValueError, match='cannot be inferred from .* free'):
        layer(C.input_variable(shape))


def test_nor_in_a_recurrence():
    with pytest.raises(ValueError, match='cannot be inferred'):
        C.layers.Recurrence(C.layers.LSTM(3))(C.sequence.input_variable(FREE))


def test_axes_beside_a_free_one_give_parameters_their_sizes():
    x = C.input_variable((FREE, 4))
    z = C.layers.Dense(3, map_rank=1)(x)
    assert z.shape == (FREE, 3) and z.W.shape == (4, 3)
    assert C.layers.BatchNormalization(map_rank=1)(C.input_variable((3, FREE, FREE))).shape == (3, FREE, FREE)


@pytest.mark.parametrize(
    'pooling, due', [(C.layers.GlobalAveragePooling, np.mean), (C.layers.GlobalMaxPooling, np.max)]
)
def test_global_pooling_takes_all_pixels_of_pictures_of_any_size(pooling, due, tmp_path):
    x = C.input_variable((3, FREE, FREE))
    f = pooling()(x)
    assert f.shape == (3, 1, 1)
    f.save(str(tmp_path / 'f.model'))
    again = C.load_model(str(tmp_path / 'f.model'))
    rng = np.random.default_rng(1)
    for size in (5, 6), (1, 1), (1, 4), (9, 2):
        a = rng.standard_normal((2, 3) + size).astype(np.float32)
        for g in f, again:
            np.testing.assert_allclose(g.eval(a)[..., 0, 0], due(a, axis=(2, 3)), rtol=1e-5, atol=1e-6)


def test_a_network_with_global_pooling_learns_from_pictures_of_two_sizes():
    x, y = C.input_variable((1, FREE, FREE)), C.input_variable(2)
    z = C.layers.Sequential(
        [C.layers.Convolution2D((3, 3), 4, pad=True), C.layers.GlobalAveragePooling(), C.layers.Dense(2)]
    )(x)
    trainer = C.Trainer(z, C.squared_error(z, y), [C.sgd(z.parameters, 0.05)])
    rng = np.random.default_rng(2)
    losses = []
    for size in (4, 7) * 20:
        a = np.ones((8, 1, size, size), np.float32) * rng.choice([-1, 1], (8, 1, 1, 1)).astype(np.float32)
        labels = np.concatenate([a.mean((2, 3)), -a.mean((2, 3))], axis=1)
        trainer.train_minibatch({x: a, y: labels})
        losses.append(trainer.previous_minibatch_loss_average)
    assert losses[-1] < 0.1 * losses[0]
