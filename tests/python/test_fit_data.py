"""What fit makes of its data: sweeps of sources, sequences of one length."""

import numpy as np
import pytest

import cantik as C


def test_epochs_of_a_source_are_its_sweeps():
    """Minibatches reached over the end of a sweep, and validation over several."""
    X = np.random.RandomState(0).randn(100, 2).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)

    def source():
        data = C.io.DatasetDeserializer({'x': X, 'y': y}, one_hot={'y': 2})
        return C.io.MinibatchSource(data, minibatch_size=32)

    found = C.fit(
        C.layers.Dense(2),
        source(),
        loss='cross_entropy',
        epochs=2,
        validation_data=source(),
        metrics=['accuracy', lambda labels, outputs: float(len(outputs))],
    )
    assert [r['<lambda>'] for r in found] == [100, 100] and [r['val_<lambda>'] for r in found] == [100, 100]
    right = (C.predict(found.model, X).argmax(1) == y).mean()
    assert found[-1].val_accuracy == pytest.approx(right)


def test_sequences_of_one_length():
    """A layer that takes sequences gets them, whether their lengths differ or not."""
    rs = np.random.RandomState(1)
    ragged = [rs.randn(n, 3).astype(np.float32) for n in (3, 1, 4, 2)]
    model = C.layers.Sequential([C.layers.Dense(5), C.layers.Fold(C.layers.LSTM(4)), C.layers.Dense(2)])
    found = C.fit(model, ragged, [0, 1, 0, 1], loss='cross_entropy', epochs=1)
    np.testing.assert_array_equal(C.predict(model, ragged[:1]), C.predict(found.model, ragged[:1]))
    X = rs.randn(6, 7, 3).astype(np.float32)
    again = C.layers.Sequential([C.layers.Dense(5), C.layers.Fold(C.layers.LSTM(4)), C.layers.Dense(2)])
    C.fit(again, X, [0, 1, 0, 1, 1, 0], loss='cross_entropy', epochs=1)
    assert C.predict(again, X).shape == (6, 2)
    assert C.score(again, X, [0, 1, 0, 1, 1, 0], loss='cross_entropy')['loss'] > 0
