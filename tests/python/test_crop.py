"""Crops whose offsets follow from the graph, as functions, in files and in training; the offsets themselves:
tests/unit/compile/crop_offsets_test.cc, tests/interop/crops.py."""

import numpy as np
import pytest

import cantik as C


def network(x):
    """To a quarter of the size and back; the numbers are CNTK's."""
    layers = [
        C.layers.Convolution2D((3, 3), 1, init=1, strides=(2, 2), pad=True, bias=False),
        C.layers.MaxPooling((3, 3), strides=(2, 2), pad=True),
        C.layers.ConvolutionTranspose((4, 4), 1, strides=(4, 4), init=1, bias=False),
    ]
    return C.layers.Sequential(layers)(x)


IMAGE = -np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5)
EXPECTED = np.array([[-12, -12, -12, -24, -24]] * 3 + [[-63, -63, -63, -81, -81]] * 2, np.float32).reshape(
    1, 1, 5, 5
)


def test_it_is_cntks_primitive_without_offsets(tmp_path):
    x, labels = C.input_variable((1, 5, 5), name='x'), C.input_variable((1, 5, 5), name='labels')
    z = network(x)
    crop = C.crop_automatic(z, x, name='hey')
    assert crop.name == 'hey' and crop.shape == (1, 5, 5)
    assert (
        crop.root_function.op_name == 'Crop'
        and crop.root_function.is_primitive
        and len(crop.root_function.inputs) == 2
    )
    np.testing.assert_array_equal(crop.eval({x: IMAGE}), EXPECTED)
    both = C.crop_automatic_with_ancestors(z, labels, x, labels)
    assert len(both.root_function.inputs) == 4
    np.testing.assert_array_equal(both.eval({x: IMAGE, labels: np.zeros_like(IMAGE)}), EXPECTED)
    for f in (crop, both):
        f.save(str(tmp_path / 'crop'))
        again = C.load_model(str(tmp_path / 'crop'))
        np.testing.assert_array_equal(
            again.eval({v: IMAGE if v.name == 'x' else np.zeros_like(IMAGE) for v in again.arguments}),
            EXPECTED,
        )


def test_free_sizes_are_known_when_it_runs():
    x = C.input_variable((1, C.FreeDimension, C.FreeDimension))
    crop = C.crop_automatic(network(x), x)
    np.testing.assert_array_equal(crop.eval({x: IMAGE}), EXPECTED)
    for size in (9, 13):
        fixed = C.input_variable((1, size, size))
        image = np.random.RandomState(size).rand(2, 1, size, size).astype(np.float32)
        np.testing.assert_array_equal(
            crop.eval({x: image}), C.crop_automatic(network(fixed), fixed).eval({fixed: image})
        )


def test_inside_blocks_and_clones():
    x, y = C.input_variable((1, 5, 5)), C.input_variable((1, 5, 5))

    @C.BlockFunction('Cropped', 'cropped')
    def cropped(image):
        return C.crop_automatic(network(image), image)

    f = cropped(x)
    np.testing.assert_array_equal(f.eval({x: IMAGE}), EXPECTED)
    np.testing.assert_array_equal(f.clone('share', {x: y}).eval({y: IMAGE}), EXPECTED)


def test_it_trains():
    x, labels = C.input_variable((1, 6, 6)), C.input_variable((1, 6, 6))
    z = C.layers.Sequential(
        [
            C.layers.Convolution2D((2, 2), 2, strides=(2, 2), init=0.3, bias=False),
            C.layers.ConvolutionTranspose((4, 4), 1, strides=(2, 2), init=0.1, bias=False),
        ]
    )(x)
    loss = C.reduce_mean(C.square(C.crop_automatic_with_ancestors(z, labels, x, labels) - labels))
    trainer = C.Trainer(z, loss, [C.sgd(z.parameters, C.learning_parameter_schedule(0.5))])
    data = np.random.RandomState(0).rand(8, 1, 6, 6).astype(np.float32)
    losses = []
    for _ in range(20):
        trainer.train_minibatch({x: data, labels: data})
        losses.append(trainer.previous_minibatch_loss_average)
    assert losses[-1] < 0.6 * losses[0]


def test_wrong_use():
    x, y = C.input_variable((1, 5, 5)), C.input_variable((1, 5, 5))
    with pytest.raises(
        RuntimeError,
        match='crop_automatic cannot align its operands: they are not computed from a common '
        'value(.|\n)*test_crop.py(.|\n)*crop_automatic_with_ancestors',
    ):
        C.crop_automatic(x * 1, y * 1).eval({x: IMAGE, y: IMAGE})
    with pytest.raises(RuntimeError, match='node_input and node_referent have different ranks'):
        C.crop_automatic(x, C.input_variable((5, 5)))
    with pytest.raises(RuntimeError, match='different scales'):
        C.crop_automatic(x * 1, C.layers.MaxPooling((2, 2), strides=2)(x)).eval({x: IMAGE})
