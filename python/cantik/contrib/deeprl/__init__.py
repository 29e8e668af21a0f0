"""Agents that learn by reward: `cntk.contrib.deeprl`. An agent is told observations and rewards and says what
to do."""
