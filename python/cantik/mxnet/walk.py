"""The order in which graphs are gone through: symbols, and what autograd recorded."""

from __future__ import annotations

from typing import Any


def behind_operands(nodes: Any, operands: Any) -> list[Any]:
    """These nodes and all below them, each behind its operands, which `operands(node)` lists."""
    done, order = set(), []
    stack = [(n, False) for n in reversed(nodes)]
    while stack:
        node, left = stack.pop()
        if left:
            order.append(node)
        elif id(node) not in done:
            done.add(id(node))
            stack.append((node, True))
            stack += [(n, False) for n in reversed(operands(node)) if id(n) not in done]
    return order
