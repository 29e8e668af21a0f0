"""What a network sees of an observation: windows over the last ones."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ....._types import DTypeLike

__all__ = ['AtariPreprocessing', 'Preprocessing', 'SlidingWindow']


class Preprocessing:
    """The base of views of observations. One of a program's own derives from it and gives all three methods.

    Args:
        input_shape (tuple): of an observation
    """

    def __init__(self, input_shape: tuple[int, ...]):
        self._input_shape = tuple(input_shape)

    def reset(self) -> None:
        """Called when an episode begins."""
        raise NotImplementedError(f'{type(self).__name__} has to implement reset')

    def output_shape(self) -> tuple[int, ...]:
        """The shape of the results of `preprocess`, a tuple."""
        raise NotImplementedError(f'{type(self).__name__} has to implement output_shape')

    def preprocess(self, observation: np.ndarray) -> np.ndarray:
        """The array that the network gets for an observation."""
        raise NotImplementedError(f'{type(self).__name__} has to implement preprocess')


class SlidingWindow(Preprocessing):
    """The last `history_len` observations, [history_len, ...], the newest at the end; zeros stand before the
    first.

    Args:
        input_shape (tuple): of an observation
        history_len (int): how many observations
        dtype: NumPy's type of the observations, or its name

    Example:
        >>> import numpy as np
        >>> window = SlidingWindow((1,), 3)
        >>> window.preprocess(np.array([5], np.float32)).ravel()
        array([0., 0., 5.], dtype=float32)
    """

    def __init__(self, input_shape: tuple[int, ...], history_len: int = 4, dtype: DTypeLike = np.float32):
        super().__init__(input_shape)
        self._dtype, self._length = np.dtype(dtype), _length(history_len)
        self.reset()

    def reset(self) -> None:
        """Forgets all observations."""
        self._window = deque([np.zeros(self._input_shape, self._dtype)] * self._length, self._length)

    def output_shape(self) -> tuple[int, ...]:
        """(history_len, ...)"""
        return (self._length,) + self._input_shape

    def preprocess(self, x: Any) -> np.ndarray:
        """Adds an observation and returns the window."""
        if x.dtype != self._dtype or x.shape != self._input_shape:
            raise ValueError(
                f'an observation is an array of {self._dtype} with the shape {self._input_shape}, got '
                f'{x.dtype} and {x.shape}'
            )
        self._window.append(x)
        return np.stack(self._window)


class AtariPreprocessing(Preprocessing):
    """Screens of an Atari 2600 as [history_len, 84, 84]: of two screens after one another the brighter
    pixels, of these the luminance, scaled down (Mnih et al. 2015, "Human-level control through deep
    reinforcement learning").

    Args:
        input_shape (tuple): (height, width, 3), of screens of uint8
        history_len (int): how many pictures

    Example:
        >>> import numpy as np
        >>> screens = AtariPreprocessing((210, 160, 3))
        >>> screens.preprocess(np.full((210, 160, 3), 9, np.uint8))[:, 0, 0]
        array([0., 0., 0., 9.])
    """

    _SIDE = 84

    def __init__(self, input_shape: tuple[int, ...], history_len: int = 4):
        super().__init__(input_shape)
        self.__history_len = _length(history_len)
        self.reset()

    def reset(self) -> None:
        """Forgets all screens."""
        black = np.zeros((self._SIDE, self._SIDE), np.uint8)
        self.__processed_image_seq = deque([black] * self.__history_len, self.__history_len)
        self.__previous_raw_image = np.zeros(self._input_shape, np.uint8)

    def output_shape(self) -> tuple[int, ...]:
        """(history_len, 84, 84)"""
        return self.__history_len, self._SIDE, self._SIDE

    def preprocess(self, image: np.ndarray) -> np.ndarray:
        """Adds a screen and returns the pictures."""
        if (
            len(image.shape) != 3
            or image.shape != self._input_shape
            or image.shape[2] != 3
            or image.dtype != np.uint8
        ):
            raise ValueError(
                f'a screen is an array of uint8 with the shape {self._input_shape}, got {image.dtype} '
                f'and {image.shape}'
            )
        picture = _scaled(_luminance(np.maximum(image, self.__previous_raw_image)), self._SIDE)
        self.__previous_raw_image = image
        self.__processed_image_seq.append(picture)
        return np.stack(self.__processed_image_seq).astype(np.float64)


def _length(n):
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise TypeError(f'history_len is a whole number above 0, not {n!r}')
    return int(n)


def _luminance(image):
    """Y of ITU-R BT.601 as uint8, of [height, width, 3]. Each colour's share is rounded to 64ths, as Pillow
    has it."""
    shares = np.floor(image * (np.array([0.299, 0.587, 0.114]) * 64) + 0.5).astype(np.int64)
    return (shares.sum(axis=2) // 64).astype(np.uint8)


def _weights(size, target):
    """[target, size]: how much of each pixel along one axis goes into each scaled one. A triangle as wide as
    the pixels that it stands for, so that none is left out."""
    scale = size / target
    centre = (np.arange(target)[:, None] + 0.5) * scale
    weights = np.maximum(0, 1 - np.abs(np.arange(size) + 0.5 - centre) / max(scale, 1))
    return weights / weights.sum(axis=1, keepdims=True)


def _scaled(picture, side):
    """A picture of uint8 as [side, side], first along its rows and then along its columns, rounded after
    each."""
    height, width = picture.shape
    along_rows = np.floor(picture @ _weights(width, side).T + 0.5)
    return np.floor(_weights(height, side) @ along_rows + 0.5).astype(np.uint8)
