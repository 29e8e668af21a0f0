"""The base of agents."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from .shared.discretize import BoxSpaceDiscretizer
from .shared.spaces import is_kind

if TYPE_CHECKING:
    from ...._types import PathLike

__all__ = ['AgentBaseClass']


class AgentBaseClass:
    """The base of agents, which learn while they act. A program tells an agent when an episode starts, what
    each action brings and when the episode ends; the agent says what to do.

    One of a program's own derives from it and gives start, step, end, save, save_parameter_settings,
    set_as_best_model and _choose_action.

    Args:
        o_space: space of observations, a Box, Discrete or MultiBinary
        a_space: space of actions, a Discrete
    """

    def __init__(self, o_space: Any, a_space: Any):
        if not is_kind(a_space, 'Discrete'):
            raise ValueError(f'an agent takes a Discrete space of actions, not {a_space!r}')
        self._num_actions = int(a_space.n)
        self._discrete_observation_space = is_kind(o_space, 'Discrete')
        self._num_states = int(o_space.n) if self._discrete_observation_space else None
        if self._discrete_observation_space or is_kind(o_space, 'MultiBinary'):
            self._shape_of_inputs = (int(o_space.n),)
        elif is_kind(o_space, 'Box'):
            self._shape_of_inputs = tuple(o_space.shape)
        else:
            raise ValueError(
                f'an agent takes a Box, Discrete or MultiBinary space of observations, not {o_space!r}'
            )
        self._space_discretizer = self._preprocessor = self._best_model = None
        self.episode_count = self.step_count = 0

    # ---- what each agent gives

    def start(self, state: Any) -> Any:
        """Begins an episode.

        Args:
            state: the first observation

        Returns:
            the action, a number, and a dictionary that tells about the choice
        """
        raise _not_given(self, 'start')

    def step(self, reward: float, next_state: Any) -> Any:
        """Learns what the last action brought and chooses the next one.

        Args:
            reward (float): for the last action
            next_state: the observation that came of it

        Returns:
            the action, a number, and a dictionary that tells about the choice
        """
        raise _not_given(self, 'step')

    def end(self, reward: float, next_state: Any) -> Any:
        """Learns what the last action of the episode brought.

        Args:
            reward (float): for the last action
            next_state: the observation at the end
        """
        raise _not_given(self, 'end')

    def set_as_best_model(self) -> None:
        """Keeps a copy of the model as it is now, for `save`."""
        raise _not_given(self, 'set_as_best_model')

    def save(self, filename: PathLike) -> None:
        """Writes the model of the last set_as_best_model to a file."""
        raise _not_given(self, 'save')

    def save_parameter_settings(self, filename: PathLike) -> None:
        """Writes the configuration to a file."""
        raise _not_given(self, 'save_parameter_settings')

    def _choose_action(self, state):
        """The action for what the network sees of an observation, and a word or more about the choice."""
        raise _not_given(self, '_choose_action')

    # ---- evaluation

    def enter_evaluation(self) -> None:
        """Called before `evaluate`: choices become the best ones."""

    def exit_evaluation(self) -> None:
        """Called after `evaluate`."""

    def evaluate(self, o: Any) -> Any:
        """The action for an observation; nothing is learned.

        Args:
            o: the observation
        """
        return self._choose_action(self._seen(o))[0]

    # ---- observations

    def _seen(self, state):
        """What the network sees of an observation, past the preprocessor."""
        return self._preprocess_state(self._preprocessor.preprocess(state) if self._preprocessor else state)

    def _preprocess_state(self, state):
        """An observation as an array of float32; one of n states as a vector with a one."""
        state = self._discretize_state_if_necessary(state)
        if self._discrete_observation_space:
            return self._index_to_vector(state, self._num_states)
        return np.asarray(state, np.float32)

    @staticmethod
    def _index_to_vector(index, dimension):
        return np.eye(dimension, dtype=np.float32)[index]

    def _discretize_observation_space(self, space, discretization_resolution):
        """Makes a number of cells of observations that are real numbers."""
        if self._discrete_observation_space:
            return
        if not is_kind(space, 'Box'):
            raise ValueError(f'a Box or Discrete space of observations has a table, {space!r} has not')
        self._space_discretizer = BoxSpaceDiscretizer(space, discretization_resolution)
        self._discrete_observation_space = True
        self._num_states = self._space_discretizer.num_states
        self._shape_of_inputs = (self._num_states,)

    def _discretize_state_if_necessary(self, state):
        return state if self._space_discretizer is None else self._space_discretizer.discretize(state)

    def _first_seen(self, state):
        """What the network sees of the first observation of an episode."""
        if self._preprocessor:
            self._preprocessor.reset()
        return self._seen(state)

    def _shape_of_network_inputs(self):
        return self._preprocessor.output_shape() if self._preprocessor else self._shape_of_inputs

    def _kept_model(self):
        if self._best_model is None:
            raise RuntimeError('there is no best model to save: call set_as_best_model first')
        return self._best_model

    # ---- parts that a configuration names

    def _named_preprocessor(self, parameters):
        """The preprocessor of a configuration: its class, and its arguments as a tuple of Python."""
        if not parameters.preprocessing:
            return None
        arguments = ast.literal_eval(parameters.preprocessing_args)
        return self._import_method(parameters.preprocessing)(self._shape_of_inputs, *arguments)

    def _import_method(self, path):
        """A function or class by its name, `module.name`, of this package or of a module that the program has
        imported.

        Nothing is imported: a file runs no code that the program did not ask for.
        """
        module, _, name = path.rpartition('.')
        known = sys.modules.get(module.replace('cntk', 'cantik', 1) if module.startswith('cntk.') else module)
        found = getattr(known, name, None) if module else None
        if not callable(found):
            raise ValueError(
                f'{path!r} names no function or class that is there; the program has to import '
                f'{module or path!r} before it makes the agent'
            )
        return found


def _not_given(agent, name):
    return NotImplementedError(f'{type(agent).__name__} has to implement {name}')
