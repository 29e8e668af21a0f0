"""Q-learning with a table of values (Watkins and Dayan 1992)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...._files import write_whole
from .shared.exploration import EpsilonGreedy
from .shared.qlearning_parameters import QLearningParameters

if TYPE_CHECKING:
    from ...._types import PathLike

__all__ = ['TabularQLearning']


class TabularQLearning(EpsilonGreedy):
    """An agent with a table Q of a row for each state and a column for each action:
    Q[s, a] += eta (r + gamma max Q[s'] - Q[s, a]). A box of observations is cut into cells.

    Args:
        cfg_filename (str): a configuration file, see QLearningParameters
        o_space: space of observations, a Discrete or Box
        a_space: space of actions, a Discrete

    Example:
        >>> from cantik.contrib.deeprl.tests.spaces import Discrete
        >>> agent = TabularQLearning('', Discrete(2), Discrete(3))
        >>> action, told = agent.start(0)
        >>> agent.end(1.0, 1)
        >>> agent._q[0, action].item()
        0.001
    """

    def __init__(self, cfg_filename: str, o_space: Any, a_space: Any):
        super().__init__(o_space, a_space)
        self._parameters = QLearningParameters(cfg_filename)
        if self._parameters.q_representation != 'tabular':
            raise ValueError(
                f'a table is QRepresentation = tabular, not {self._parameters.q_representation!r}'
            )
        self._discretize_observation_space(o_space, self._parameters.discretization_resolution)
        self._q = np.full((self._num_states, self._num_actions), self._parameters.initial_q, np.float64)

    def start(self, state: Any) -> tuple[int, dict[str, str | int | Any]]:
        """Begins an episode."""
        self.episode_count += 1
        return self._choice(self._preprocess_state(state))

    def step(self, reward: float, next_state: Any) -> tuple[int, dict[str, str | int | Any]]:
        """Learns what the last action brought and chooses the next one."""
        row = self._preprocess_state(next_state)
        self._learn(reward + self._parameters.gamma * self._q[row].max())
        return self._choice(row)

    def end(self, reward: float, next_state: Any) -> None:
        """Learns what the last action of the episode brought."""
        self._learn(reward)

    def set_as_best_model(self) -> None:
        """Keeps a copy of the table for `save`."""
        self._best_model = self._q.copy()

    def save(self, filename: PathLike) -> None:
        """Writes the table of the last set_as_best_model as text: in each line a state and its row.

        Args:
            filename (str): the file
        """
        best = self._kept_model()
        write_whole(filename, ''.join(f'{state}\t{row}\n' for state, row in enumerate(best)))

    def _learn(self, target):
        state, action = self._last()
        self._adjust_learning_rate()
        self._q[state, action] += self._eta * (target - self._q[state, action])
        self.step_count += 1

    def _adjust_learning_rate(self):
        self._eta = self._eta_now()

    def _preprocess_state(self, state):
        """The row of an observation."""
        return self._discretize_state_if_necessary(state)

    def _values(self, state):
        return self._q[state]
