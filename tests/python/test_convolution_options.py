"""What the options of a convolution mean for its channels. The figures are CNTK 2.7's."""

import numpy as np
import pytest

import cantik as C


@pytest.mark.parametrize('padding', [[True], [True, True], [True, True, True], [False, True, True]])
@pytest.mark.parametrize('channels', [4, -1])
def test_options_of_a_convolution_do_not_count_for_its_channels(padding, channels, tmp_path):
    """They are summed over, as in CNTK 2.7 where the filters' channels are inferred."""
    x = C.input_variable((4, 9, 9))
    image = np.random.RandomState(0).rand(1, 4, 9, 9).astype(np.float32)
    W = C.parameter((8, channels, 3, 3), init=1.0)
    y = C.convolution(W, x, auto_padding=padding)
    assert (y.shape, W.shape) == ((8, 9, 9), (8, 4, 3, 3))
    attributes = y.root_function.attributes
    assert attributes['autoPadding'] == [False, True, True]
    assert attributes['strides'] == ((1, 1, 1) if not padding[0] else (4, 1, 1))
    np.testing.assert_allclose(np.abs(y.eval({x: image})).sum(), 9921.68, rtol=1e-5)
    place = C.placeholder()
    later = C.convolution(W, place, auto_padding=padding).replace_placeholders({place: x})
    np.testing.assert_array_equal(later.eval({x: image}), y.eval({x: image}))
    y.save(str(tmp_path / 'm'))
    loaded = C.load_model(str(tmp_path / 'm'))
    assert loaded.shape == (8, 9, 9)
    np.testing.assert_array_equal(loaded.eval({loaded.arguments[0]: image}), y.eval({x: image}))


def test_a_block_of_a_convolution_is_used_twice():
    W = C.parameter((8, -1, 3, 3), init=1.0)

    @C.BlockFunction('Convolved', '')
    def convolved(a):
        return C.convolution(W, a, strides=(2,))

    first, second = convolved(C.input_variable((4, 9, 9))), convolved(C.input_variable((4, 7, 7)))
    assert (first.shape, second.shape) == ((8, 5, 5), (8, 4, 4))
