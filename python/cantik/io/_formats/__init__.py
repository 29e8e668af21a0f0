"""Descriptions of files as deserializers. Each module opens the types of a family of formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._checks import refused
from ..._waiting import not_there
from ..chunks import UserDeserializer, opened as opened_chunks
from ..config import plain
from . import binary, images, speech, tables, text

if TYPE_CHECKING:
    from ..._cantik import Deserializer

_OPENS = {**text.OPENS, **binary.OPENS, **speech.OPENS, **images.OPENS, **tables.OPENS}


def opened(description: Any, max_errors: int) -> list[Deserializer]:
    """The deserializers of a description, which errors of the data may be passed over `max_errors` times."""
    if isinstance(description, UserDeserializer):
        return [opened_chunks(description)]
    if not isinstance(description, dict):
        raise refused(
            'a deserializer', 'what CTFDeserializer and its like give, or a UserDeserializer', description
        )
    kind = str(description.get('type'))
    if kind not in _OPENS:
        raise not_there('io.' + kind)
    if description.get('file') == '':
        raise ValueError("ParseValue: No value given for 'file'.")
    return _OPENS[kind]({key: plain(value) for key, value in description.items()}, max_errors)
