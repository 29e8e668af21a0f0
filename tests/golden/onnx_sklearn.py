"""Writes onnx_sklearn/: models of tables, trained with scikit-learn and converted by skl2onnx.

python onnx_sklearn.py        # in a place with scikit-learn and skl2onnx
"""

import pathlib

import numpy as np
from skl2onnx import to_onnx
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier
from sklearn.ensemble import StackingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

FOLDER = pathlib.Path(__file__).with_name('onnx_sklearn')

random = np.random.RandomState(1)
X = random.uniform(-1, 1, (80, 4)).astype(np.float32)
TWO = (X[:, 0] + X[:, 1] ** 2 > 0.3).astype(np.int64)
THREE = TWO + (X[:, 2] > 0.2)
REAL = np.stack([X[:, 0] * X[:, 1], X[:, 2] ** 2], 1)

MODELS = {
    'scaled_regression': (make_pipeline(StandardScaler(), LinearRegression()), REAL),
    'logistic_two': (make_pipeline(StandardScaler(), LogisticRegression()), TWO),
    'logistic_three': (LogisticRegression(), THREE),
    'tree': (DecisionTreeRegressor(max_depth=4), REAL),
    'forest_two': (RandomForestClassifier(4, max_depth=4, random_state=1), TWO),
    'forest_three': (RandomForestClassifier(4, max_depth=4, random_state=1), THREE),
    'boosted': (GradientBoostingRegressor(n_estimators=5, max_depth=2), REAL[:, 0]),
    'boosted_two': (GradientBoostingClassifier(n_estimators=5, max_depth=2), TWO),
    'boosted_three': (GradientBoostingClassifier(n_estimators=5, max_depth=2), THREE),
    'vectors_two': (SVC(kernel='poly'), TWO),
    'vectors_three': (SVC(), THREE),
    'vectors_two_probable': (SVC(kernel='sigmoid', probability=True, random_state=1), TWO),
    'vectors_three_probable': (SVC(probability=True, random_state=1), THREE),
    'vectors_linear': (SVC(kernel='linear'), TWO),
    'vectors_real': (make_pipeline(StandardScaler(), SVR()), REAL[:, 0]),
    'filled_in': (make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()), THREE),
    'rounded_columns': (
        make_pipeline(
            make_column_transformer(
                (OneHotEncoder(handle_unknown='ignore'), [0, 2]),
                (StandardScaler(), [1]),
                remainder='passthrough',
            ),
            LogisticRegression(),
        ),
        THREE,
    ),
    'rounded_places': (make_pipeline(OrdinalEncoder(), LinearRegression()), REAL),
    'stacked': (StackingClassifier([('a', LogisticRegression()), ('b', GaussianNB())]), TWO),
    'perceptron': (MLPClassifier((6,), max_iter=50, random_state=1), THREE),
}

FOLDER.mkdir(exist_ok=True)
for name, (model, y) in MODELS.items():
    x = np.round(X) if name.startswith('rounded') else X
    if name == 'filled_in':
        x = np.where(random.uniform(size=X.shape) < 0.2, np.nan, X).astype(np.float32)
    model.fit(x, y)
    options = {'zipmap': False} if hasattr(model, 'classes_') else {}
    made = to_onnx(model, X[:1], options={id(model): options} if options else None, target_opset=17)
    (FOLDER / f'{name}.onnx').write_bytes(made.SerializeToString())
    print(name, len(made.SerializeToString()), sorted({f'{n.domain}:{n.op_type}' for n in made.graph.node}))
