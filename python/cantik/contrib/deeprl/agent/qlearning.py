"""Deep Q-learning: a network tells the values of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .... import ops
from ....learners import adam, learning_parameter_schedule_per_sample, momentum_schedule
from ....train.trainer import Trainer
from .shared.cntk_utils import huber_loss
from .shared.exploration import EpsilonGreedy
from .shared.models import Models
from .shared.qlearning_parameters import QLearningParameters
from .shared.replay_memory import ReplayMemory, Transition

if TYPE_CHECKING:
    from ...._types import PathLike

__all__ = ['QLearning']


class QLearning(EpsilonGreedy):
    """An agent with a network Q(s), trained on transitions that it remembers towards r + gamma Q'(s'), where
    the network Q' is an older copy (Mnih et al. 2015, "Human-level control through deep reinforcement
    learning").

    Its configuration chooses among variants: the values of a dueling network (Wang et al. 2015), double
    Q-learning (van Hasselt et al. 2015), priorities of transitions (Schaul et al. 2015), or a network of the
    program's own.

    Args:
        config_filename (str): a configuration file, see QLearningParameters
        o_space: space of observations, a Box, Discrete or MultiBinary
        a_space: space of actions, a Discrete

    Example:
        >>> import numpy as np
        >>> from cantik.contrib.deeprl.tests.spaces import Box, Discrete
        >>> with open('agent.ini', 'w') as file:
        ...     _ = file.write(
        ...         '[QLearningAlgo]\\nQRepresentation = dqn\\nInitialEpsilon = 0\\nEpsilonMinimum = 0'
        ...     )
        >>> agent = QLearning('agent.ini', Box(0, 1, (2,)), Discrete(3))
        >>> agent.start(np.array([0.5, 0.5]))[1]['epsilon']
        0.0
    """

    def __init__(self, config_filename: str, o_space: Any, a_space: Any):
        super().__init__(o_space, a_space)
        p = self._parameters = QLearningParameters(config_filename)
        self._preprocessor = self._named_preprocessor(p)
        model = self._named_model(p)
        self._q, self._loss = model['f'], model['loss']
        self._input_variables, self._output_variables = model['inputs'], model['outputs']
        self._weight_variables = None
        if p.use_prioritized_replay:
            self._weight_variables = ops.input_variable((1,), np.float32)
            self._loss = self._loss * self._weight_variables
        learner = adam(
            self._q.parameters,
            learning_parameter_schedule_per_sample(p.initial_eta),
            momentum_schedule(p.momentum),
            variance_momentum=momentum_schedule(0.999),
            gradient_clipping_threshold_per_sample=p.gradient_clipping_threshold,
            gradient_clipping_with_truncation=False,
            use_mean_gradient=True,
        )
        self._trainer = Trainer(self._q, (self._loss, None), [learner])
        self._target_q = self._q.clone('clone')
        self._replay_memory = ReplayMemory(p.replay_memory_capacity, p.use_prioritized_replay)

    def _named_model(self, p):
        """The network that the configuration asks for."""
        shape, actions = self._shape_of_network_inputs(), self._num_actions
        loss = huber_loss if p.use_error_clipping else None
        if p.q_representation == 'dqn':
            return Models.feedforward_network(shape, actions, p.hidden_layers, loss)
        if p.q_representation == 'dueling-dqn':
            return Models.dueling_network(shape, actions, p.hidden_layers, loss)
        return self._import_method(p.q_representation)(shape, actions, loss)

    # ---- episodes

    def start(self, state: Any) -> tuple[int, dict[str, str | int | Any]]:
        """Begins an episode."""
        self.episode_count += 1
        return self._choice(self._first_seen(state))

    def step(self, reward: float, next_state: Any) -> tuple[int, dict[str, str | int | Any]]:
        """Remembers what the last action brought, learns now and then, and chooses the next action."""
        seen = self._seen(next_state)
        self._remember(reward, seen)
        return self._choice(seen)

    def end(self, reward: float, next_state: Any) -> None:
        """Remembers what the last action of the episode brought."""
        self._remember(reward, None)

    def set_as_best_model(self) -> None:
        """Keeps a copy of the network for `save`."""
        self._best_model = self._q.clone('clone')

    def save(self, filename: PathLike) -> None:
        """Writes the network of the last set_as_best_model.

        Args:
            filename (str): the file
        """
        self._kept_model().save(filename)

    def _draws(self):
        early = self.step_count < self._parameters.replay_start_size and not self._evaluates
        return early or super()._draws()

    def _values(self, state):
        return self._evaluate_q(self._q, state)

    # ---- learning

    def _remember(self, reward, next_state):
        transition = (*self._last(), reward, next_state)
        self._replay_memory.store(*transition, self._compute_priority(*transition))
        self.step_count += 1
        self._update_q_periodically()

    def _update_q_periodically(self):
        p = self._parameters
        if self.step_count % p.q_update_frequency or self.step_count < p.replay_start_size:
            return
        self._adjust_learning_rate()
        for _ in range(p.replays_per_update):
            self._replay_and_update()
        if self.step_count % p.target_q_update_frequency == 0:
            self._target_q = self._q.clone('clone')

    def _replay_and_update(self):
        """One minibatch of remembered transitions."""
        p = self._parameters
        drawn = self._replay_memory.sample_minibatch(p.minibatch_size)
        transitions = [transition for _, transition in drawn]
        states = [t.state for t in transitions]
        targets = np.empty((len(drawn), self._num_actions), np.float32)
        targets[:] = self._all_values(self._q, states)
        targets[_of_actions(transitions)] = self._returns(transitions)
        feeds = {self._input_variables: states, self._output_variables: list(targets)}
        if p.use_prioritized_replay:
            weights = np.array([t.priority for t in transitions], np.float64) ** -p.priority_beta
            feeds[self._weight_variables] = [np.array([w], np.float32) for w in weights / weights.sum()]
        self._trainer.train_minibatch(feeds)
        if p.use_prioritized_replay:
            places = [place for place, _ in drawn]
            self._replay_memory.update_priority(dict(zip(places, self._priorities(transitions))))

    def _returns(self, transitions):
        """r + gamma Q'(s') of each; of the last one of an episode r."""
        after = [t.next_state for t in transitions if t.next_state is not None]
        returns = np.array([t.reward for t in transitions], np.float64)
        if after:
            values = self._all_values(self._target_q, after)
            best = self._all_values(self._q, after) if self._parameters.double_q_learning else values
            going_on = [t.next_state is not None for t in transitions]
            returns[going_on] += self._parameters.gamma * values[np.arange(len(values)), best.argmax(axis=1)]
        return returns

    def _priorities(self, transitions):
        """(|r + gamma Q'(s') - Q(s, a)| + epsilon) ^ alpha of each."""
        p = self._parameters
        values = np.broadcast_to(
            self._all_values(self._q, [t.state for t in transitions]), (len(transitions), self._num_actions)
        )
        errors = self._returns(transitions) - values[_of_actions(transitions)]
        return (np.abs(errors) + p.priority_epsilon) ** p.priority_alpha

    def _compute_priority(self, state, action, reward, next_state):
        """The priority of one transition; None where priorities do not count."""
        if not self._parameters.use_prioritized_replay:
            return None
        return float(self._priorities([Transition(state, action, reward, next_state, None)])[0])

    def _all_values(self, network, states):
        """[states, actions]"""
        if not states:
            return np.empty((0, self._num_actions))
        values = np.asarray(network.eval({network.arguments[0]: states}), np.float64)
        return values.reshape(-1, self._num_actions)

    def _evaluate_q(self, model, state, action=None):
        """The values of all actions in a state, or of one."""
        values = self._all_values(model, [state])[0]
        return values if action is None else values[action]

    def _adjust_learning_rate(self):
        learner = self._trainer.parameter_learners[0]
        learner.reset_learning_rate(learning_parameter_schedule_per_sample(self._eta_now()))


def _of_actions(transitions):
    """Where in [transitions, actions] the actions taken are."""
    return np.arange(len(transitions)), np.array([t.action for t in transitions], np.int64)
