"""Decoding: sequences of symbols that a step function makes, each from the one before."""

from __future__ import annotations

from typing import Any

from . import _cantik
from ._checks import callable_object, listed, number
from .ops.functions import Function

__all__ = ['beam_search', 'greedy_search']


def _step(step):
    return step if isinstance(step, _cantik.Function) else Function(callable_object(step, 'step'))


def beam_search(
    step: Any,
    states: Any,
    vocabulary: int,
    start: int,
    end: int,
    context: Any = (),
    max_length: int = 100,
    beam: int = 4,
    best: int = 1,
    length_penalty: float = 0.0,
) -> list[Any]:
    """The best sequences of symbols under a model that gives the next symbol's probabilities (Graves 2012,
    "Sequence transduction with recurrent neural networks").

    All hypotheses of all sequences take a step together, as one minibatch.

    Args:
        step: step(states..., symbol, context...) -> scores, states...: a Function or a Python function.
          `symbol` is one-hot, the softmax of `scores`, one for each symbol, are the probabilities of the next
          one
        states (list): what the states are at the beginning, arrays with a row for each sequence
        vocabulary (int): how many symbols there are
        start (int): the symbol before the first one
        end (int): the symbol behind the last one
        context (list): what stays the same: arrays with a row for each sequence, or lists of arrays, a
          sequence for each
        max_length (int): of a result
        beam (int): how many hypotheses are followed for each sequence
        best (int): how many results are wanted for each, at most `beam`
        length_penalty (float): scores are divided by length to this power; above 0 longer results are
          preferred

    Returns:
        for each sequence a list of pairs (symbols, score), the best first. The score is the sum of the
        log-probabilities, that of `end` too, over length ** length_penalty

    Example:
        >>> import cantik as C, numpy as np
        >>> # from symbol 0: 1 with probability 0.6, 2 with 0.4; behind 1 the sequence ends, or not;
        >>> # 2 is the end
        >>> table = C.constant(
        ...     np.log(np.array([[0.01, 0.59, 0.4], [0.1, 0.2, 0.7], [0.1, 0.1, 0.8]], np.float32))
        ... )
        >>> step = lambda h, symbol: (C.times(symbol, table) + h, h)
        >>> C.decoding.beam_search(step, [np.zeros((1, 1), np.float32)], 3, start=0, end=2)[0][0][0]
        [1]
    """
    states = listed(states, 'states')
    context = listed(context, 'context')
    length_penalty = number(length_penalty, 'length_penalty')
    return _cantik.beam_search(
        _step(step), states, context, vocabulary, start, end, max_length, beam, best, length_penalty
    )


def greedy_search(
    step: Any, states: Any, vocabulary: int, start: int, end: int, context: Any = (), max_length: int = 100
) -> list[Any | list[Any]]:
    """The most probable symbol at every step, up to the one that ends the sequence.

    Args:
        step, states, vocabulary, start, end, context, max_length: as in beam_search

    Returns:
        for each sequence a list of symbols

    Example:
        >>> import cantik as C, numpy as np
        >>> table = C.constant(np.array([[0, 5, 1], [0, 1, 2], [0, 0, 9]], np.float32))
        >>> step = lambda h, symbol: (C.times(symbol, table) + h, h)
        >>> C.decoding.greedy_search(step, [np.zeros((1, 1), np.float32)], 3, start=0, end=2)
        [[1]]
    """
    states, context = listed(states, 'states'), listed(context, 'context')
    found = _cantik.beam_search(_step(step), states, context, vocabulary, start, end, max_length, 1, 1, 0.0)
    return [results[0][0] if results else [] for results in found]
