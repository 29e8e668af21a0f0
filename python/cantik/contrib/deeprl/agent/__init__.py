"""Agents: deep Q-learning, actor-critic, a table of values, and a random one."""
