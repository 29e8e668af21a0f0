"""Files in CNTK's binary format."""

from __future__ import annotations

from typing import Any

from ... import _cantik


def _cbf(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
    streams = [(name, str(s.get('alias', name))) for name, s in option.get('input', {}).items()]
    return [_cantik.cbf(str(option['file']), streams)]


OPENS = {'CNTKBinaryFormatDeserializer': _cbf}
