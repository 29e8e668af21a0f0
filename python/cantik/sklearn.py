"""Networks as estimators of scikit-learn: in pipelines, grid searches and cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data

from . import ops
from ._checks import refused, whole
from .fitting import History, fit, predict
from .fitting.seeds import seeded
from .layers import Dense, Sequential

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ['Classifier', 'Regressor']

_MOST_SEED = 2**31 - 1
_ACTIVATIONS = ('relu', 'tanh', 'sigmoid', 'gelu', 'silu', 'elu', 'softplus', 'identity')


def _activation(given):
    """The function of a name."""
    if isinstance(given, str) and given in _ACTIVATIONS:
        return None if given == 'identity' else getattr(ops, given)
    if isinstance(given, str) or not callable(given):
        raise refused('activation', f'one of {", ".join(_ACTIVATIONS)}, or a function', given)
    return given


def _widths(hidden):
    """The widths of the hidden layers: a number, or several."""
    given = hidden if isinstance(hidden, (list, tuple, np.ndarray)) else [hidden]
    return [whole(width, 'hidden', 1) for width in given]


class _Network(BaseEstimator):
    """What both kinds of estimators share. scikit-learn reads a class's parameters off its own signature."""

    def __init__(
        self,
        model: Callable[[int], Any] | None = None,
        hidden: int | tuple[int, ...] = (64,),
        activation: Any = 'relu',
        learner: Any = 'adam',
        rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 32,
        validation_split: float | None = None,
        patience: int | None = None,
        random_state: Any = None,
    ):
        self.model = model
        self.hidden = hidden
        self.activation = activation
        self.learner = learner
        self.rate = rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.validation_split = validation_split
        self.patience = patience
        self.random_state = random_state

    if TYPE_CHECKING:
        n_features_in_: int
        history_: History

    def _network(self, outputs):
        """A new network of so many outputs."""
        if self.model is not None:
            return self.model(outputs)
        activation = _activation(self.activation)
        return Sequential([*(Dense(n, activation=activation) for n in _widths(self.hidden)), Dense(outputs)])

    def _train(self, X, y, outputs, loss, sample_weight, class_weight=None):
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float32)
        with seeded(int(check_random_state(self.random_state).randint(_MOST_SEED))):
            self.history_ = fit(
                self._network(outputs),
                X,
                y,
                loss=loss,
                learner=self.learner,
                rate=self.rate,
                epochs=self.epochs,
                batch_size=self.batch_size,
                validation_split=self.validation_split,
                patience=self.patience,
                class_weight=class_weight,
                sample_weight=sample_weight,
                progress=False,
            )
        self.n_iter_ = len(self.history_)

    def _outputs(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse='csr', dtype=np.float32, reset=False)
        return predict(self.history_.model, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Classifier(ClassifierMixin, _Network):
    """A network that tells classes, one for each sample; or of labels [n, k] of 0 and 1, which of k labels a
    sample has.

    Args:
        model: a function from the number of outputs to a network without inputs, such as
            `cantik.layers.Dense`; None for dense layers with ReLU. A network for two classes has two outputs
        hidden (tuple): the widths of the layers where there is no model; a number for one layer
        activation: of these layers: 'relu', 'tanh', 'sigmoid', 'gelu', 'silu', 'elu', 'softplus', 'identity',
            or a function
        learner, rate, epochs, batch_size, validation_split, patience: as for `cantik.fit`
        random_state: a number, a RandomState, or None for another run each time
        class_weight: 'balanced', or a dictionary from classes to weights

    Attributes:
        classes_: the classes, sorted; of labels [n, k] the numbers of the columns
        history_: the History of the training

    Example:
        >>> import numpy as np
        >>> from cantik.sklearn import Classifier
        >>> X = np.random.RandomState(0).randn(100, 2)
        >>> y = np.where(X.sum(axis=1) > 0, 'high', 'low')
        >>> bool(Classifier(hidden=(8,), epochs=20, random_state=1).fit(X, y).score(X, y) > 0.9)
        True
    """

    def __init__(
        self,
        model: Callable[[int], Any] | None = None,
        hidden: int | tuple[int, ...] = (64,),
        activation: Any = 'relu',
        learner: Any = 'adam',
        rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 32,
        validation_split: float | None = None,
        patience: int | None = None,
        random_state: Any = None,
        class_weight: Any = None,
    ):
        super().__init__(
            model,
            hidden,
            activation,
            learner,
            rate,
            epochs,
            batch_size,
            validation_split,
            patience,
            random_state,
        )
        self.class_weight = class_weight

    if TYPE_CHECKING:
        classes_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Classifier:
        """Trains a new network.

        Args:
            X: an array [n, features], or a CSR matrix
            y: the classes [n], or labels [n, k] of 0 and 1
            sample_weight: weights of samples [n]
        """
        X, y = validate_data(self, X, y, accept_sparse='csr', dtype=np.float32, multi_output=True)
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self._has_several = type_of_target(y) == 'multilabel-indicator'
        y = y.toarray() if hasattr(y, 'toarray') else y
        if y.ndim > 1 and not (self._has_several and np.isin(y, (0, 1)).all()):
            raise ValueError('y of several columns must have the numbers 0 and 1 alone, one for each label')
        if self._has_several:
            self.classes_ = np.arange(y.shape[1])
            self._train(X, y, y.shape[1], 'binary_cross_entropy', sample_weight, self.class_weight)
            return self
        self.classes_, numbers = np.unique(y, return_inverse=True)
        outputs = max(len(self.classes_), 2)
        self._train(X, numbers, outputs, 'cross_entropy', sample_weight, self._weights_by_number())
        return self

    def _weights_by_number(self):
        if not isinstance(self.class_weight, dict):
            return self.class_weight
        numbers = {name: i for i, name in enumerate(self.classes_.tolist())}
        unknown = [name for name in self.class_weight if name not in numbers]
        if unknown:
            raise ValueError(f'class_weight has {unknown[0]!r}, which is no class')
        return {numbers[name]: weight for name, weight in self.class_weight.items()}

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: [n, classes]; for two classes [n], positive for the second one. Of labels [n, k] a score
        for each, positive where a sample has it."""
        scores = self._outputs(X)[:, : max(len(self.classes_), 1)]
        if self._has_several or len(self.classes_) != 2:
            return scores
        return scores[:, 1] - scores[:, 0]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, or of each label, [n, classes]."""
        scores = self._outputs(X).astype(np.float64)[:, : len(self.classes_)]
        if self._has_several:
            return 1 / (1 + np.exp(-scores))
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each sample, or 0 and 1 for each label."""
        scores = self._outputs(X)[:, : len(self.classes_)]
        if self._has_several:
            return (scores > 0).astype(np.int64)
        return self.classes_[np.argmax(scores, axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class Regressor(RegressorMixin, _Network):
    """A network that tells numbers, one or several for a sample. Targets are scaled to mean 0 and deviation 1
    while it is trained.

    Args:
        model: a function from the number of outputs to a network without inputs; None for dense layers with
            ReLU
        hidden (tuple): the widths of the layers where there is no model; a number for one layer
        activation: of these layers: 'relu', 'tanh', 'sigmoid', 'gelu', 'silu', 'elu', 'softplus', 'identity',
            or a function
        learner, rate, epochs, batch_size, validation_split, patience: as for `cantik.fit`
        random_state: a number, a RandomState, or None for another run each time

    Attributes:
        history_: the History of the training, of scaled targets

    Example:
        >>> import numpy as np
        >>> from cantik.sklearn import Regressor
        >>> X = np.random.RandomState(0).randn(100, 2)
        >>> y = X[:, 0] - 2 * X[:, 1]
        >>> bool(Regressor(hidden=(16,), epochs=50, random_state=1).fit(X, y).score(X, y) > 0.9)
        True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Regressor:
        """Trains a new network.

        Args:
            X: an array [n, features], or a CSR matrix
            y: the targets, [n] or [n, outputs]
            sample_weight: weights of samples [n]
        """
        X, y = validate_data(
            self, X, y, accept_sparse='csr', dtype=np.float32, multi_output=True, y_numeric=True
        )
        y = np.asarray(y, np.float64)
        self._shape = y.shape[1:]
        targets = y.reshape(len(y), -1)
        self._mean, deviation = targets.mean(axis=0), targets.std(axis=0)
        self._deviation = np.where(deviation > 0, deviation, 1.0)
        targets = ((targets - self._mean) / self._deviation).astype(np.float32)
        self._train(X, targets, targets.shape[1], 'mse', sample_weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The numbers of each sample, in the shape of the targets."""
        outputs = self._outputs(X) * self._deviation + self._mean
        return outputs.reshape((len(outputs), *self._shape))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
