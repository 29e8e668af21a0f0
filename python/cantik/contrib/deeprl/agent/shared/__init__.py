"""The parts that agents are made of: networks, memories, parameters, views of observations."""

from . import (
    cntk_utils,
    customized_models,
    discretize,
    models,
    policy_gradient_parameters,
    preprocessing,
    qlearning_parameters,
    replay_memory,
)
