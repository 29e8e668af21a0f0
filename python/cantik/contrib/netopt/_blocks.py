"""Blocks with one of the functions inside exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import ops
from ..._cantik import Function
from ...logging.graph import depth_first_search

if TYPE_CHECKING:
    from collections.abc import Callable


def function_inside(block: Function, op_name: str) -> Any:
    """The function of a block that has weights."""
    return depth_first_search(
        block.block_root, lambda f: isinstance(f, Function) and not f.is_block and f.op_name == op_name
    )[0]


def weights_of(function: Any) -> Any:
    """Which input of a function is the weights."""
    return next(v for v in function.inputs if v.is_parameter or v.is_constant)


def operand_of(function: Any) -> Any:
    """Which input of a function with weights is not the weights."""
    return next(v for v in function.inputs if not (v.is_parameter or v.is_constant))


def refilled(
    block: Function, old: Function, new: Callable[..., Any], op_name: str | None = None, name: str = ''
) -> Function:
    """What a block of one operand makes when `new`, of that operand, stands in the place of one of its
    functions; as a block of its own kind, if it has one."""
    place = ops.placeholder(name=operand_of(old).name)
    made = new(place)
    root = block.block_root
    body = made if root.output.uid == old.output.uid else root.clone('share', {old.output: made.output})
    ((_, outside),) = block.block_arguments_mapping
    if op_name is None:
        return body.replace_placeholders({place: outside})
    return ops.as_block(body, [(place, outside)], op_name, name)
