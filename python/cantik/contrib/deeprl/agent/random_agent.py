"""An agent that draws its actions: the measure for all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .agent import AgentBaseClass

if TYPE_CHECKING:
    from ...._types import PathLike

__all__ = ['RandomAgent']


class RandomAgent(AgentBaseClass):
    """An agent whose actions are drawn from all alike. It learns nothing and has nothing to save.

    Args:
        o_space: space of observations
        a_space: space of actions, a Discrete

    Example:
        >>> from cantik.contrib.deeprl.tests.spaces import Box, Discrete
        >>> RandomAgent(Box(0, 1, (2,)), Discrete(1)).start([0.5, 0.5])
        (0, {})
    """

    def start(self, state: Any) -> tuple[int, dict[Any, Any]]:
        """Begins an episode."""
        self.episode_count += 1
        return self._choose_action(state)

    def step(self, reward: float, next_state: Any) -> tuple[int, dict[Any, Any]]:
        """The next action."""
        self.step_count += 1
        return self._choose_action(next_state)

    def end(self, reward: float, next_state: Any) -> None:
        """Ends an episode."""
        self.step_count += 1

    def set_as_best_model(self) -> None:
        """There is no model."""

    def save(self, filename: PathLike) -> None:
        """There is no model: no file is written."""

    def save_parameter_settings(self, filename: PathLike) -> None:
        """There are no parameters: no file is written."""

    def _choose_action(self, state):
        return np.random.randint(0, self._num_actions), {}
