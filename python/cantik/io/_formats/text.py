"""Files in CNTK's text format."""

from __future__ import annotations

from typing import Any

from ... import _cantik


def _ctf(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
    streams = [
        (
            name,
            s.get('alias', name),
            int(s['dim']),
            s['format'] == 'sparse',
            bool(s.get('definesMBSize', False)),
        )
        for name, s in option['input'].items()
    ]
    return [
        _cantik.ctf(
            str(option['file']),
            streams,
            int(option.get('chunkSizeInBytes', 32 << 20)),
            bool(option.get('skipSequenceIds', False)),
            int(option.get('maxErrors', max_errors)),
            bool(option.get('cacheIndex', False)),
        )
    ]


OPENS = {'CNTKTextFormatDeserializer': _ctf}
