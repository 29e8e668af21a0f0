# Written by tools/generate: cantik's module under CNTK's name.
from cantik.contrib.deeprl.agent.shared.policy_gradient_parameters import *
