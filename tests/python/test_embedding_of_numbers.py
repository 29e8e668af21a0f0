"""Embeddings of whole numbers: C.layers.Embedding(shape, vocabulary=n)."""

import numpy as np
import pytest

import cantik as C


def test_numbers_and_one_hot_rows_learn_the_same():
    def trained(model, x, feed):
        label = C.input_variable(2)
        loss = C.cross_entropy_with_softmax(C.layers.Dense(2, init=0.1)(model), label)
        learner = C.sgd(loss.parameters, C.learning_parameter_schedule(0.5))
        trainer = C.Trainer(None, (loss, None), [learner])
        for _ in range(3):
            trainer.train_minibatch({x: feed, label: np.eye(2, dtype='f')[[0, 1, 1, 0]]})
        return loss.parameters, trainer.previous_minibatch_loss_average

    table = np.random.default_rng(2).standard_normal((7, 3)).astype('f')
    ids = np.array([0, 6, 3, 6], 'f')
    x, one_hot = C.input_variable(()), C.input_variable(7)
    by_number, loss = trained(C.layers.Embedding(3, vocabulary=7, init=table)(x), x, ids)
    rows = np.eye(7, dtype='f')[ids.astype(int)]
    by_row, due = trained(C.layers.Embedding(3, init=table)(one_hot), one_hot, rows)
    assert loss == pytest.approx(due, rel=1e-6)
    for a, b in zip(by_number, by_row):
        np.testing.assert_allclose(a.value, b.value, rtol=1e-5, atol=1e-7)
    untouched = next(p for p in by_number if p.shape == (7, 3)).value[[1, 2, 4, 5]]
    assert np.array_equal(untouched, table[[1, 2, 4, 5]])


def test_sequences_of_words_train_a_recurrence():
    x = C.sequence.input_variable(())
    model = C.layers.Sequential(
        [C.layers.Embedding(8, vocabulary=20), C.layers.Fold(C.layers.LSTM(6)), C.layers.Dense(2)]
    )(x)
    label = C.input_variable(2)
    loss = C.cross_entropy_with_softmax(model, label)
    random = np.random.default_rng(0)
    sentences = [random.integers(0, 20, n) for n in random.integers(3, 12, 60)]
    classes = np.eye(2, dtype='f')[[int((s < 5).sum() > 1) for s in sentences]]
    trainer = C.Trainer(None, (loss, None), [C.adam(loss.parameters, 0.02, 0.9, use_mean_gradient=True)])
    first = None
    for _ in range(60):
        trainer.train_minibatch({x: [s.astype('f') for s in sentences], label: classes})
        first = first or trainer.previous_minibatch_loss_average
    assert trainer.previous_minibatch_loss_average < 0.3 * first


def test_a_table_that_is_given():
    table = np.arange(12, dtype='f').reshape(4, 3)
    f = C.layers.Embedding(weights=table, vocabulary=4)
    x = C.input_variable(2)
    assert f(x).parameters == ()
    assert np.array_equal(f(x).eval({x: [[3, 0]]})[0], table[[3, 0]])


def test_rows_of_more_axes():
    f = C.layers.Embedding((2, 3), vocabulary=5)
    assert f.E.shape == (5, 2, 3)
    assert f(C.input_variable((4,))).shape == (4, 2, 3)


def test_the_model_is_saved_in_both_formats(tmp_path):
    f = C.layers.Embedding(3, vocabulary=5)(C.input_variable(2))
    ids = np.array([[4, 0], [1, 1]], 'f')
    due = f.eval(ids)
    f.save(tmp_path / 'f.model')
    assert np.array_equal(C.load_model(tmp_path / 'f.model').eval(ids), due)
    f.save(tmp_path / 'f.onnx', format=C.ModelFormat.ONNX)
    assert np.array_equal(C.load_model(tmp_path / 'f.onnx').eval(ids), due)


@pytest.mark.parametrize('wrong', [5, -1, np.nan])
def test_a_number_outside_of_the_table_is_an_error(wrong):
    f = C.layers.Embedding(3, vocabulary=5)(C.input_variable(1))
    with pytest.raises(ValueError, match='outside the table, which has 5 rows'):
        f.eval(np.array([[wrong]], 'f'))


@pytest.mark.parametrize(
    'options, text',
    [
        (dict(shape=3, vocabulary=0), 'vocabulary must be at least 1'),
        (dict(shape=3, vocabulary='a'), 'vocabulary must be a whole number'),
        (dict(weights=np.ones((4, 3)), vocabulary=5), 'vocabulary is 5, but weights have 4 rows'),
    ],
)
def test_wrong_options(options, text):
    with pytest.raises((ValueError, TypeError), match=text):
        C.layers.Embedding(**options)
