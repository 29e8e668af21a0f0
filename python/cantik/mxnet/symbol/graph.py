"""Nodes of symbols: variables and applied operators."""

from __future__ import annotations

from typing import Any

from ..walk import behind_operands


class Node:
    """A variable (op is None) or an operator with its operands: entries, pairs of a node and the number of
    its output."""

    __slots__ = ('op', 'name', 'attrs', 'inputs', '_read')

    def __init__(self, op: Any, name: str | None, attrs: Any, inputs: Any):
        self.op, self.name, self.attrs, self.inputs, self._read = op, name, attrs, inputs, None

    @property
    def attributes(self) -> Any:
        """The operator's attributes, read."""
        if self._read is None:
            self._read = self.op.read(self.attrs, self.name)
        return self._read

    def outputs(self) -> list[Any]:
        """Names of what it makes."""
        if self.op is None:
            return [self.name]
        return [f'{self.name}_{o}' for o in self.op.list_outputs(self.attributes)]

    def operands(self) -> Any:
        """Names that the operator has for its operands."""
        return self.op.list_inputs(self.attributes) + self.op.list_aux(self.attributes)

    def aux_from(self) -> int:
        """The number of the first operand that is an auxiliary state."""
        return len(self.op.list_inputs(self.attributes))


def ordered(heads: Any) -> list[Any]:
    """All nodes below these entries, each behind its operands."""
    return behind_operands([n for n, _ in heads], lambda node: [n for n, _ in node.inputs])


def auxiliary(nodes: Any) -> set[int]:
    """Ids of the variables that are auxiliary states."""
    return {
        id(n)
        for node in nodes
        if node.op is not None
        for n, _ in node.inputs[node.aux_from() :]
        if n.op is None
    }


def copied(heads: Any, replaced: Any) -> list[Any]:
    """Copies of these entries, in which variables are replaced by name."""
    made = {}
    for node in ordered(heads):
        if node.op is None and node.name in replaced:
            made[id(node)] = None
        elif node.op is None:
            made[id(node)] = node
        else:
            inputs = [replaced[n.name] if made[id(n)] is None else (made[id(n)], i) for n, i in node.inputs]
            made[id(node)] = Node(node.op, node.name, dict(node.attrs), inputs)
    return [replaced[n.name] if made[id(n)] is None else (made[id(n)], i) for n, i in heads]
