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


def test_columns_of_a_table_are_those_of_their_names(tmp_path):
    """Whatever their order; the network's file keeps them."""
    rs = np.random.RandomState(0)
    a, b = np.arange(40.0) / 40, rs.randn(40)
    table = {'a': a, 'b': b, 'y': 3 * a + b}
    other = {name: table[name] for name in ('y', 'b', 'a')}
    model = C.layers.Dense(1)
    options = dict(labels='y', loss='mse', rate=0.1, epochs=30, seed=1)
    found = C.fit(model, table, **options)
    expected = C.predict(found.model, np.stack([a, b], 1))
    found.model.save(str(tmp_path / 'z.model'))
    structured = np.zeros(40, [('b', 'f8'), ('a', 'f8')])
    structured['a'], structured['b'] = a, b
    for m in (model, found.model, C.load_model(str(tmp_path / 'z.model'))):
        np.testing.assert_array_equal(C.predict(m, {'b': b, 'a': a}), expected)
        np.testing.assert_array_equal(C.predict(m, structured), expected)
        score = C.score(m, other, labels='y', loss='mse')
        assert score == C.score(m, table, labels='y', loss='mse')
    more = C.fit(model, other, validation_data=table, **{**options, 'epochs': 1})
    assert more[-1].val_loss < 2 * score.loss
    with pytest.raises(ValueError, match='has not the columns that the model was trained with'):
        C.predict(model, table)
