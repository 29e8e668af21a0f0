"""Networks as estimators of scikit-learn: in pipelines, grid searches and cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .fitting import History, fit, predict, set_seed
from .layers import Dense, Sequential
from .ops import relu

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ['Classifier', 'Regressor']

_MOST_SEED = 2**31 - 1


class _Network(BaseEstimator):
    """What both kinds of estimators share."""

    def __init__(
        self,
        model: Callable[[int], Any] | None = None,
        hidden: tuple[int, ...] = (64,),
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
        return Sequential([*(Dense(n, activation=relu) for n in self.hidden), Dense(outputs)])

    def _train(self, X, y, outputs, loss, sample_weight):
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float32)
        # Parameters are drawn when the network is made, so the seed is set before.
        set_seed(int(check_random_state(self.random_state).randint(_MOST_SEED)))
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
    """A network that tells classes.

    Args:
        model: a function from the number of outputs to a network without inputs, such as
            `cantik.layers.Dense`; None for dense layers with ReLU. A network for two classes has two outputs
        hidden (tuple): the widths of the layers where there is no model
        learner, rate, epochs, batch_size, validation_split, patience: as for `cantik.fit`
        random_state: a number, a RandomState, or None for another run each time

    Attributes:
        classes_: the classes, sorted
        history_: the History of the training

    Example:
        >>> import numpy as np
        >>> from cantik.sklearn import Classifier
        >>> X = np.random.RandomState(0).randn(100, 2)
        >>> y = np.where(X.sum(axis=1) > 0, 'high', 'low')
        >>> bool(Classifier(hidden=(8,), epochs=20, random_state=1).fit(X, y).score(X, y) > 0.9)
        True
    """

    if TYPE_CHECKING:
        classes_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Classifier:
        """Trains a new network.

        Args:
            X: an array [n, features], or a CSR matrix
            y: the classes [n]
            sample_weight: weights of samples [n]
        """
        X, y = validate_data(self, X, y, accept_sparse='csr', dtype=np.float32)
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        self._train(X, numbers, max(len(self.classes_), 2), 'cross_entropy', sample_weight)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: [n, classes]; for two classes [n], positive for the second one."""
        scores = self._outputs(X)[:, : max(len(self.classes_), 1)]
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, [n, classes]."""
        scores = self._outputs(X).astype(np.float64)[:, : len(self.classes_)]
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each sample."""
        scores = self._outputs(X)[:, : len(self.classes_)]
        return self.classes_[np.argmax(scores, axis=1)]


class Regressor(RegressorMixin, _Network):
    """A network that tells numbers, one or several for a sample. Targets are scaled to mean 0 and deviation 1
    while it is trained.

    Args:
        model: a function from the number of outputs to a network without inputs; None for dense layers with
            ReLU
        hidden (tuple): the widths of the layers where there is no model
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
