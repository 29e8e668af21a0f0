"""The choice of an action by values of all actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..agent import AgentBaseClass
from .decay import linear_decay

if TYPE_CHECKING:
    from ....._types import PathLike


class EpsilonGreedy(AgentBaseClass):
    """The base of agents that know values of actions: with the probability epsilon, which falls with every
    step, the action is drawn from all alike, otherwise it is the best one."""

    _evaluates = False

    def enter_evaluation(self) -> None:
        """From here on the best action is chosen."""
        self._evaluates, self._epsilon = True, 0

    def exit_evaluation(self) -> None:
        """From here on actions are drawn again."""
        self._evaluates = False

    def save_parameter_settings(self, filename: PathLike) -> None:
        """Writes the configuration to a file."""
        self._parameters.save(filename)

    def _adjust_exploration_rate(self):
        p = self._parameters
        self._epsilon = linear_decay(
            p.initial_epsilon, p.epsilon_minimum, p.epsilon_decay_step_count, self.step_count
        )

    def _eta_now(self):
        p = self._parameters
        return linear_decay(p.initial_eta, p.eta_minimum, p.eta_decay_step_count, self.step_count)

    def _draws(self):
        return np.random.uniform(0, 1) < self._epsilon

    def _values(self, state):
        """The values of all actions in a state."""
        raise NotImplementedError('an agent that explores tells the values of its actions')

    def _choose_action(self, state):
        """Epsilon-greedy: the action, and 'RANDOM' or 'GREEDY'."""
        if self._draws():
            return np.random.randint(0, self._num_actions), 'RANDOM'
        return int(np.argmax(self._values(state))), 'GREEDY'

    def _choice(self, state):
        """The action in a state, with what start and step tell about it; both are kept for the next step."""
        self._adjust_exploration_rate()
        self._last_state = state
        self._last_action, behavior = self._choose_action(state)
        return self._last_action, {'action_behavior': behavior, 'epsilon': self._epsilon}

    def _last(self):
        """The last state and action."""
        if not hasattr(self, '_last_state'):
            raise RuntimeError('step and end follow start: the agent has no state yet')
        return self._last_state, self._last_action
