"""Policy gradients: a network tells the probabilities of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .... import ops
from ....layers import Dense
from ....learners import IGNORE, adam, learning_parameter_schedule_per_sample, momentum_schedule
from ....losses import cross_entropy_with_softmax, squared_error
from ....train.trainer import Trainer
from .agent import AgentBaseClass
from .shared.cntk_utils import negative_of_entropy_with_softmax
from .shared.decay import linear_decay
from .shared.models import Models
from .shared.policy_gradient_parameters import PolicyGradientParameters

if TYPE_CHECKING:
    from ...._types import PathLike

__all__ = ['ActorCritic']


class ActorCritic(AgentBaseClass):
    """An agent with two networks, one for log pi(a | s) and one for the value V(s) of a state, trained on the
    returns R of a number of steps: loss = -(R - V(s)) log pi(a | s) - w H(pi) + c (R - V(s))^2 (Mnih et al.
    2016, "Asynchronous methods for deep reinforcement learning").

    Args:
        config_filename (str): a configuration file, see PolicyGradientParameters
        o_space: space of observations, a Box, Discrete or MultiBinary
        a_space: space of actions, a Discrete

    Example:
        >>> import numpy as np
        >>> from cantik.contrib.deeprl.tests.spaces import Box, Discrete
        >>> agent = ActorCritic('', Box(0, 1, (2,)), Discrete(3))
        >>> agent.start(np.array([0.5, 0.5]))[0] in (0, 1, 2)
        True
    """

    def __init__(self, config_filename: str, o_space: Any, a_space: Any):
        super().__init__(o_space, a_space)
        p = self._parameters = PolicyGradientParameters(config_filename)
        self._preprocessor = self._named_preprocessor(p)
        self._input_variables = ops.input_variable(self._shape_of_network_inputs(), np.float32)
        self._make_policy(p)
        self._make_value(p)
        entropy = negative_of_entropy_with_softmax(self._policy_network)
        loss = (
            self._policy_network_loss
            + p.regularization_weight * entropy
            + p.relative_step_size * self._value_network_loss
        )
        model = ops.combine([self._policy_network, self._value_network])
        learner = adam(
            model.parameters,
            learning_parameter_schedule_per_sample(p.initial_eta),
            momentum_schedule(p.momentum),
            variance_momentum=momentum_schedule(0.999),
            minibatch_size=IGNORE,
        )
        self._trainer = Trainer(model, (loss, None), [learner])
        self._forget_steps()
        self._forget_minibatch()

    def _make_policy(self, p):
        """log pi up to a constant, and its loss: R - V(s) times the cross entropy with the action taken."""
        model = self._model(
            p.policy_representation,
            p.policy_network_hidden_layers,
            self._num_actions,
            cross_entropy_with_softmax,
        )
        self._policy_network, self._policy_network_output_variables = model['f'], model['outputs']
        self._policy_network_weight_variables = ops.input_variable((1,), np.float32)
        self._policy_network_loss = model['loss'] * self._policy_network_weight_variables
        if p.initial_policy_network:
            self._policy_network.restore(p.initial_policy_network)

    def _make_value(self, p):
        """V, and its loss: the squared distance to R."""
        if p.shared_representation:
            self._value_network = Dense(1)(self._policy_network)
            self._value_network_output_variables = ops.input_variable(1, np.float32)
            self._value_network_loss = squared_error(
                self._value_network, self._value_network_output_variables
            )
            return
        model = self._model(p.value_function_representation, p.value_network_hidden_layers, 1)
        self._value_network, self._value_network_loss = model['f'], model['loss']
        self._value_network_output_variables = model['outputs']

    def _model(self, representation, hidden_layers, outputs, *loss):
        """A network that the configuration asks for: 'nn', or a function of the program's own."""
        shape = self._shape_of_network_inputs()
        if representation == 'nn':
            make, size = Models.feedforward_network, (outputs, hidden_layers)
        else:
            make, size = self._import_method(representation), (outputs,)
        model = make(shape, *size, *loss, use_placeholder_for_input=True)
        # In the network below the loss, too.
        model['loss'].replace_placeholders({model['inputs']: self._input_variables})
        return model

    # ---- episodes

    def start(self, state: Any) -> tuple[int, dict[Any, Any]]:
        """Begins an episode."""
        self.episode_count += 1
        self._process_accumulated_trajectory(False)
        seen = self._first_seen(state)
        self._trajectory_states.append(seen)
        return self._act(seen)

    def step(self, reward: float, next_state: Any) -> tuple[int, dict[Any, Any]]:
        """Learns now and then, and chooses the next action."""
        seen = self._seen(next_state)
        self._end_step(reward, seen)
        return self._act(seen)

    def end(self, reward: float, next_state: Any) -> None:
        """Learns now and then."""
        self._end_step(reward, None)

    def set_as_best_model(self) -> None:
        """Keeps a copy of the policy's network for `save`."""
        self._best_model = self._policy_network.clone('clone')

    def save(self, filename: PathLike) -> None:
        """Writes the policy's network of the last set_as_best_model.

        Args:
            filename (str): the file
        """
        self._kept_model().save(filename)

    def save_parameter_settings(self, filename: PathLike) -> None:
        """Writes the configuration to a file."""
        self._parameters.save(filename)

    def _act(self, seen):
        action, _ = self._choose_action(seen)
        self._trajectory_actions.append(action)
        return action, {}

    def _end_step(self, reward, seen):
        if not self._trajectory_actions:
            raise RuntimeError('step and end follow start: the agent has no state yet')
        if seen is not None:
            self._trajectory_states.append(seen)
        self._trajectory_rewards.append(reward)
        self.step_count += 1
        if self.step_count % self._parameters.update_frequency == 0:
            self._process_accumulated_trajectory(seen is not None)
            self._update_networks()

    def _choose_action(self, state):
        """An action drawn from pi(. | s), and the probabilities of all."""
        logits = self._evaluate_model(self._policy_network, state)
        p = np.exp(logits - logits.max())
        p /= p.sum()
        return int(np.random.choice(self._num_actions, p=p)), p

    @staticmethod
    def _evaluate_model(model, state):
        """The numbers that a network gives for one state."""
        return np.asarray(model.eval({model.arguments[0]: [state]}), np.float64).ravel()

    # ---- learning

    def _process_accumulated_trajectory(self, keep_last):
        """Makes training data of the steps since the last call.

        Args:
            keep_last (bool): whether a last state without a reward stays, for the steps that follow
        """
        rewards, actions, states = self._trajectory_rewards, self._trajectory_actions, self._trajectory_states
        if len(rewards) not in (len(states), len(states) - 1):
            raise RuntimeError(
                f'{len(rewards)} rewards do not fit {len(states)} states: step and end follow start'
            )
        goes_on = len(states) > len(rewards)
        value = self._evaluate_model(self._value_network, states[-1])[0] if goes_on and rewards else 0.0
        returns = []
        for reward in reversed(rewards):
            value = reward + self._parameters.gamma * value
            returns.insert(0, value)
        for state, action, total in zip(states, actions, returns):
            self._input_buffer.append(state)
            self._value_network_output_buffer.append([total])
            self._policy_network_output_buffer.append(self._index_to_vector(action, self._num_actions))
            advantage = total - self._evaluate_model(self._value_network, state)[0]
            self._policy_network_weight_buffer.append([advantage])
        last = states[-1:] if keep_last and goes_on else []
        self._forget_steps()
        self._trajectory_states = last

    def _forget_steps(self):
        self._trajectory_rewards, self._trajectory_actions, self._trajectory_states = [], [], []

    def _forget_minibatch(self):
        self._input_buffer, self._value_network_output_buffer = [], []
        self._policy_network_output_buffer, self._policy_network_weight_buffer = [], []

    def _update_networks(self):
        """One minibatch of all that was gathered."""
        self._adjust_learning_rate()
        self._trainer.train_minibatch(
            {
                self._input_variables: self._input_buffer,
                self._value_network_output_variables: np.array(self._value_network_output_buffer, np.float32),
                self._policy_network_output_variables: self._policy_network_output_buffer,
                self._policy_network_weight_variables: np.array(
                    self._policy_network_weight_buffer, np.float32
                ),
            }
        )
        self._forget_minibatch()

    def _adjust_learning_rate(self):
        p = self._parameters
        eta = linear_decay(p.initial_eta, p.eta_minimum, p.eta_decay_step_count, self.step_count)
        self._trainer.parameter_learners[0].reset_learning_rate(learning_parameter_schedule_per_sample(eta))
