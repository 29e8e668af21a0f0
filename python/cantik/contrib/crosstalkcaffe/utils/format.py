"""Names and files of configurations."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...._types import PathLike

__all__ = ['camel_to_snake', 'json_parser']


def camel_to_snake(camel_string: str) -> str:
    """A name like BatchNorm as batch_norm; letters in a row stay together.

    Args:
        camel_string (str): the name

    Example:
        >>> camel_to_snake('PSROIPooling'), camel_to_snake('SoftmaxWithLoss')
        ('psroi_pooling', 'softmax_with_loss')
    """
    words = re.findall(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|_+', camel_string)
    return '_'.join(word.lower() for word in words if word.strip('_'))


def json_parser(path: PathLike) -> dict[Any, Any]:
    """The content of a JSON file.

    Args:
        path (str): the file

    Returns:
        dict
    """
    with open(path, encoding='utf-8') as file:
        found = json.load(file)
    if not isinstance(found, dict):
        raise ValueError(f'{path} holds {type(found).__name__}, not an object of JSON')
    return found
