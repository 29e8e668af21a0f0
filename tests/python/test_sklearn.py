"""Estimators: scikit-learn's own checks, pipelines, grid searches."""

import importlib.util
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import cantik as C
from cantik.sklearn import Classifier, Regressor

# Of networks that are trained by minibatches nobody's pass these two: scikit-learn expects them of its own
# MLPClassifier and SGDClassifier too.
_REASON = 'a weight is no repetition where minibatches are drawn'
FAIL = {
    'check_sample_weight_equivalence_on_dense_data': _REASON,
    'check_sample_weight_equivalence_on_sparse_data': _REASON,
}
# What scikit-learn itself leaves out: one asks for SCIPY_ARRAY_API, the others for pandas.
LEFT_OUT = {'check_array_api_input'}
if importlib.util.find_spec('pandas') is None:
    LEFT_OUT |= {
        'check_sample_weights_pandas_series',
        'check_classifier_data_not_an_array',
        'check_regressor_data_not_an_array',
    }


@pytest.mark.filterwarnings('ignore::UserWarning')
@pytest.mark.parametrize('kind', [Classifier, Regressor])
def test_checks_of_scikit_learn(kind):
    results = check_estimator(kind(epochs=60), on_skip=None, expected_failed_checks=FAIL)
    assert len(results) > 40
    by_status = {}
    for result in results:
        by_status.setdefault(result['status'], []).append(result['check_name'])
    assert set(by_status) <= {'passed', 'xfail', 'skipped'}
    assert sorted(by_status['xfail']) == sorted(FAIL)
    assert set(by_status.get('skipped', [])) <= LEFT_OUT


@pytest.fixture
def points():
    X = np.random.RandomState(0).randn(150, 3)
    return X, np.array(['low', 'middle', 'high'])[np.digitize(X.sum(axis=1), [-1, 1])]


def test_classifier(points):
    X, y = points
    model = Classifier(random_state=1, epochs=30).fit(X, y)
    assert model.classes_.tolist() == ['high', 'low', 'middle'] and model.score(X, y) > 0.9
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    assert model.decision_function(X).shape == (150, 3) and len(model.history_) == model.n_iter_ == 30


def test_two_classes_have_one_decision(points):
    X, y = points
    model = Classifier(random_state=1, epochs=20).fit(X, y == 'high')
    decision = model.decision_function(X)
    assert decision.shape == (150,)
    np.testing.assert_array_equal(decision > 0, model.predict(X))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-decision)), rtol=1e-5)


def test_regressor(points):
    X, _ = points
    for y in (1000 + 50 * X[:, 0], np.stack([X[:, 0], 9 - 3 * X[:, 1]], axis=1)):
        model = Regressor(random_state=1, epochs=40).fit(X, y)
        assert model.predict(X).shape == y.shape and model.score(X, y) > 0.95


def test_models_of_ones_own(points):
    X, y = points
    model = Classifier(model=C.layers.Dense, random_state=1).fit(X, y)
    assert sorted(model.history_.model.state_dict()) == ['Dense.W', 'Dense.b'] and model.score(X, y) > 0.8


def test_early_stopping(points):
    X, y = points
    model = Classifier(random_state=1, epochs=500, rate=0.1, validation_split=0.2, patience=5).fit(X, y)
    assert model.n_iter_ < 500 and model.history_.best_epoch == model.n_iter_ - 5


def test_the_same_seed_gives_the_same_model(points):
    X, y = points
    first, second, other = (
        Classifier(random_state=s, epochs=3).fit(X, y).predict_proba(X) for s in (1, 1, 2)
    )
    assert np.array_equal(first, second) and not np.array_equal(first, other)


def test_weights_matter(points):
    X, y = points
    weights = np.where(y == 'low', 1.0, 0.0)
    assert set(Classifier(random_state=1, epochs=30).fit(X, y, sample_weight=weights).predict(X)) == {'low'}


def test_pipelines_searches_and_files(points):
    X, y = points
    pipeline = make_pipeline(StandardScaler(), Classifier(epochs=10, random_state=1))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.7
    grid = {'classifier__hidden': [(4,), (8, 8)], 'classifier__rate': [0.001, 0.05]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert search.best_params_['classifier__rate'] == 0.05 and search.score(X, y) > 0.8
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict_proba(X), search.best_estimator_.predict_proba(X))
    assert clone(pipeline).get_params()['classifier__epochs'] == 10


@pytest.mark.parametrize('kind', [Classifier, Regressor])
def test_wrong_use(points, kind):
    X = points[0]
    y = np.arange(150) % 2
    with pytest.raises(NotFittedError):
        kind().predict(X)
    with pytest.raises(ValueError, match='features'):
        kind(epochs=1).fit(X, y).predict(X[:, :2])
    for options in ({'epochs': 0}, {'rate': -1.0}, {'learner': 'no such'}, {'batch_size': 'many'}):
        with pytest.raises(ValueError, match=next(iter(options))):
            kind(**options).fit(X, y)


def test_several_labels_of_a_sample(points):
    X, _ = points
    Y = (X > 0).astype(int)
    model = Classifier(hidden=8, activation='tanh', random_state=1, epochs=60).fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 2] and model.score(X, Y) > 0.9
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) > 0)
    np.testing.assert_allclose(
        model.predict_proba(X), 1 / (1 + np.exp(-model.decision_function(X).astype(float))), rtol=1e-5
    )
    with pytest.raises(ValueError, match='the numbers 0 and 1 alone'):
        Classifier().fit(X, 2 * Y)


def test_layers_by_their_options(points):
    X, y = points
    model = Classifier(hidden=5, activation=C.sigmoid, epochs=1, random_state=1).fit(X, y)
    shapes = [value.shape for value in model.history_.model.state_dict().values()]
    assert sorted(shapes) == [(3,), (3, 5), (5,), (5, 3)]
    root = model.history_.model
    assert 'StableSigmoid' in [
        f.op_name for f in C.logging.depth_first_search(root, lambda f: hasattr(f, 'op_name'), -1)
    ]
    with pytest.raises(ValueError, match="activation must be one of relu, .* not 'rel'"):
        Regressor(activation='rel').fit(X, X)
    with pytest.raises(ValueError, match='hidden must be at least 1'):
        Regressor(hidden=0).fit(X, X)


def test_weights_of_classes(points):
    X, y = points
    weights = {'low': 1.0, 'middle': 0.0, 'high': 0.0}
    options = dict(random_state=1, epochs=30)
    assert set(Classifier(class_weight=weights, **options).fit(X, y).predict(X)) == {'low'}
    rare = np.where(X[:, 0] > 1.2, 'rare', 'often')
    options['epochs'] = 3
    plain, even = (Classifier(class_weight=w, **options).fit(X, rare).predict(X) for w in (None, 'balanced'))
    assert np.sum(even == 'rare') > np.sum(plain == 'rare')
    with pytest.raises(ValueError, match="class_weight has 'none', which is no class"):
        Classifier(class_weight={'none': 1}).fit(X, y)
