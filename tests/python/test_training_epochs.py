"""Epochs and minibatches of Function.train: their sizes, and where a training ends."""

import numpy as np
import pytest

import cantik as C


def test_epochs_of_a_size_of_their_own_in_a_training_of_so_many_samples():
    """As CNTK 2.7 counts them."""
    x, y = C.input_variable(2), C.input_variable(2)
    data = np.eye(2, dtype=np.float32)[[0, 1] * 12]
    for options, epochs in (
        (dict(epoch_size=24, max_samples=60), [24, 24, 12]),
        (dict(max_samples=60), [60]),
        (dict(epoch_size=20, max_epochs=2), [24, 16]),
    ):
        z = C.layers.Dense(2, init=0.1)(x)
        found = C.cross_entropy_with_softmax(z, y).train(
            (data, data), minibatch_size=8, parameter_learners=[C.sgd(z.parameters, 0.1)], **options
        )
        assert [e['samples'] for e in found.epoch_summaries] == epochs, options


def test_a_source_of_arrays_without_an_end_needs_one():
    x, y = C.input_variable(2), C.input_variable(2)
    data = np.eye(2, dtype=np.float32)
    source = C.io.MinibatchSourceFromData(dict(x=data, y=data))
    z = C.layers.Dense(2)(x)
    with pytest.raises(ValueError, match='epoch_size must be specified'):
        C.cross_entropy_with_softmax(z, y).train(
            source,
            model_inputs_to_streams={x: source.streams.x, y: source.streams.y},
            parameter_learners=[C.sgd(z.parameters, 0.1)],
        )


def test_a_minibatch_beyond_all_counting_is_all_there_is():
    x = C.input_variable(1)
    z = C.layers.Dense(1, init=0.5)(x)
    found = C.squared_error(z, x).train(
        (np.ones((6, 1), np.float32),), minibatch_size=1e30, parameter_learners=[C.sgd(z.parameters, 0.1)]
    )
    assert found.epoch_summaries[0]['samples'] == 6
