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


def test_labels_of_a_loss_of_ones_own():
    """A metric of classes says that they are classes: the loss gets them as one-hot rows."""
    rs = np.random.RandomState(0)
    X = rs.randn(60, 4).astype(np.float32)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)
    start = rs.randn(4, 3).astype(np.float32)

    def smooth(z, label):
        return C.cross_entropy_with_softmax(z, label * 0.9 + 0.1 / 3)

    def trained(labels, loss, **more):
        model = C.layers.Dense(3, init=start)
        return C.fit(model, X, labels, loss=loss, epochs=3, seed=2, metrics='accuracy', **more)

    names = np.array(['a', 'b', 'c'])
    by_number, by_name, by_row = (trained(a, smooth) for a in (y, names[y], np.eye(3)[y]))
    assert by_name.classes == ['a', 'b', 'c']
    for other in (by_name, by_row):
        assert other[-1].loss == by_number[-1].loss and other[-1].accuracy == by_number[-1].accuracy
    assert trained(y, C.cross_entropy_with_softmax)[-1].loss == trained(y, 'cross_entropy')[-1].loss


def test_a_class_for_each_pixel():
    rs = np.random.RandomState(0)
    images = rs.randn(20, 1, 6, 5).astype(np.float32)
    labels = (images[:, 0] > 0).astype(int) + (images[:, 0] > 1)
    one_hot = np.eye(3)[labels].transpose(0, 3, 1, 2)
    start = rs.randn(3, 1, 3, 3).astype(np.float32)
    options = dict(loss='cross_entropy', metrics=['accuracy', 'f1'], epochs=3, seed=2)
    found = []
    for given in (labels, one_hot, labels[:, None]):
        model = C.layers.Convolution2D((3, 3), 3, pad=True, init=start)
        found.append(C.fit(model, images, given, validation_data=(images, labels), **options))
    scores = C.predict(found[0].model, images).astype(np.float64)
    assert found[0][-1].accuracy == pytest.approx((scores.argmax(1) == labels).mean())
    log_p = scores - np.log(np.exp(scores).sum(1, keepdims=True))
    expected = -np.take_along_axis(log_p, labels[:, None], 1).mean()
    assert C.score(found[0].model, images, labels, loss='cross_entropy').loss == pytest.approx(expected, 1e-5)
    for other in found[1:]:
        assert other[-1].loss == pytest.approx(found[0][-1].loss, 1e-6)
        assert other[-1].f1 == found[0][-1].f1
    with pytest.raises(ValueError, match='a class for each pixel'):
        C.fit(model, images, labels[:, :5], **options)
    with pytest.raises(ValueError, match='class_weight is for'):
        C.fit(model, images, labels, class_weight='balanced', **options)


def going_on(path, y, epochs, rows=80, **options):
    rs = np.random.RandomState(0)
    X = rs.randn(80, 3).astype(np.float32)
    options = dict(loss='cross_entropy', epochs=epochs, seed=1, **options)
    checkpoint = C.CheckpointConfig(str(path), frequency=80)
    layer = C.layers.Dense(2, init=np.ones((3, 2), np.float32))
    return C.fit(layer, X[:rows], y[:rows], callbacks=[checkpoint], **options)


def test_a_training_that_goes_on_has_the_data_it_had(tmp_path):
    y = np.arange(80) % 2
    names = np.array(['a', 'b'])
    for k, (before, after, said) in enumerate(
        [
            ({}, {'rows': 40}, 'a training with 80 samples, and there are 40'),
            ({}, {'validation_split': 0.25}, 'a training with 80 samples, and there are 60'),
            ({'y': names[y]}, {'y': np.array(['b', 'c'])[y]}, 'classes a, b, and the .* b, c'),
            ({'y': names[y]}, {'y': y}, 'the classes a, b, and the labels have numbers as classes'),
        ]
    ):
        path = tmp_path / str(k)
        going_on(path, epochs=2, **{'y': y, **before})
        with pytest.raises(ValueError, match=said):
            going_on(path, epochs=4, **{'y': y, **after})
        assert len(going_on(path, epochs=4, **{'y': y, **before})) == 4


def test_patience_may_come_and_go_where_a_training_goes_on(tmp_path):
    y = np.arange(80) % 2
    whole = going_on(tmp_path / 'a', y, 4, validation_split=0.25)['loss']
    for k, (before, after) in enumerate([({}, {'patience': 2}), ({'patience': 2}, {})]):
        going_on(tmp_path / f'b{k}', y, 2, validation_split=0.25, **before)
        found = going_on(tmp_path / f'b{k}', y, 4, validation_split=0.25, **after)
        assert found['loss'] == whole
        assert (found.best_epoch is None) == ('patience' not in after)
