"""The transitions that an agent remembers, and draws minibatches from."""

from __future__ import annotations

import random
from collections import namedtuple
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ['ReplayMemory', 'Transition']

Transition = _Transition = namedtuple('Transition', 'state action reward next_state priority')


class ReplayMemory:
    """The last `capacity` transitions (state, action, reward, next state, priority). A minibatch is drawn
    from all alike, or in proportion to their priorities (Schaul et al. 2015, "Prioritized experience
    replay").

    Priorities form a binary tree: the node i has the children 2i + 1 and 2i + 2 and holds their sum; the
    transitions are the last `capacity` nodes.

    Args:
        capacity (int): how many transitions
        prioritized (bool): whether priorities count

    Example:
        >>> memory = ReplayMemory(2)
        >>> for state in (0, 1, 2):
        ...     memory.store(state, 0, 1.0, state + 1, 0)
        >>> sorted(t.state for _, t in memory.sample_minibatch(2))
        [1, 2]
    """

    def __init__(self, capacity: int, prioritized: bool = False):
        if capacity < 1:
            raise ValueError(f'the capacity of a memory must be at least 1, and is {capacity}')
        self._capacity, self._prioritized = int(capacity), prioritized
        self._first = self._capacity - 1 if prioritized else 0  # the place of the first transition
        self._memory, self._size, self._next = [0] * self._first, 0, 0

    def size(self) -> int:
        """How many transitions there are."""
        return self._size

    def store(self, *args: Any) -> None:
        """Remembers a transition, in place of the oldest one where the memory is full.

        Args:
            args: state, action, reward, next state, priority
        """
        transition, place = Transition(*args), self._first + self._next
        if self._size < self._capacity:
            self._memory.append(transition)
            self._size += 1
            forgotten = 0
        else:
            forgotten = self._memory[place].priority
            self._memory[place] = transition
        self._next = (self._next + 1) % self._capacity
        if self._prioritized:
            self._add(place, transition.priority - forgotten)

    def sample_minibatch(self, batch_size: int) -> list[Any] | list[tuple[int, int]]:
        """A list of pairs (place, transition).

        Without priorities no transition comes twice, and there may be fewer than asked for. With them the sum
        of all priorities is cut into `batch_size` equal parts, and one transition is drawn from each.

        Args:
            batch_size (int): how many
        """
        if not self._size:
            return []
        if self._prioritized:
            part = self._memory[0] / batch_size if self._first else 0
            places = [self._find(random.uniform(i * part, (i + 1) * part)) for i in range(batch_size)]
        elif self._size <= batch_size:
            places = range(self._size)
        else:
            places = random.sample(range(self._size), batch_size)
        return [(place, self._memory[place]) for place in places]

    def update_priority(self, map_from_position_to_priority: Mapping[Any, Any]) -> None:
        """Changes priorities.

        Args:
            map_from_position_to_priority (dict): from places, as sample_minibatch gave them
        """
        for place, priority in map_from_position_to_priority.items():
            change = priority - self._memory[place].priority
            self._memory[place] = self._memory[place]._replace(priority=priority)
            self._add(place, change)

    def _add(self, place, change):
        """Adds a change of a priority to the sums above it."""
        while place:
            place = (place - 1) // 2
            self._memory[place] += change

    def _find(self, sum_before):
        """The place of the transition where the running sum of priorities passes a number."""
        place = 0
        while place < self._first:
            place = 2 * place + 1
            left = self._memory[place] if place < self._first else self._memory[place].priority
            if sum_before > left and place + 1 < len(self._memory):
                sum_before -= left
                place += 1
        return place
