"""CNTK's native user functions: operators of libraries under ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .functions import Function


def register_native_user_function(op_id: str, module_name: str, factory_method_name: str) -> None:
    """Makes an operator of a library known under an id, for native_user_function.

    The library is a file `module_name + '.so'`, looked for in the folders of CANTIK_OPERATOR_PATH and of
    LD_LIBRARY_PATH; or module_name is its path. An operator says in its file which factory of CNTK's it
    stands for: `.named("cntk.factory", "CreateUserTimesFunction")`. See docs/cpp_operators.md.

    Args:
        op_id (str): the id; each can be registered once
        module_name (str): the library, without its ending
        factory_method_name (str): which operator of it
    """
    _cantik.register_native_user_function(op_id, module_name, factory_method_name)


def native_user_function(
    op_id: str,
    operands: Sequence[Any],
    attributes: dict[str, Any] | None = None,
    user_function_instance_name: str = '',
) -> Function:
    """The operator that register_native_user_function made known under this id.

    Args:
        op_id (str): the id
        operands (list): variables and functions
        attributes (dict): of the operator, by their names; others are kept with the function, shown by it and
          saved
        user_function_instance_name (str): of the function

    Returns:
        a function
    """
    return _cantik.native_user_function(op_id, operands, attributes, user_function_instance_name)
