"""Files of speech: features, labels, lattices."""

from __future__ import annotations

from typing import Any

from ... import _cantik
from ..config import count, switch


def _features(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
    return [
        _cantik.htk_features(
            str(s['scpFile']),
            name,
            count(s, 'dim'),
            *map(int, s.get('contextWindow', (0, 0))),
            broadcast=switch(s, 'expandToUtterance'),
        )
        for name, s in option['input'].items()
    ]


def _files(stream):
    return [str(file) for file in stream.get('mlfFileList') or [stream['mlfFile']]]


def _labels(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
    return [
        _cantik.htk_labels(
            _files(s),
            name,
            count(s, 'dim'),
            str(s['labelMappingFile']),
            phone_boundaries=switch(s, 'phoneBoundaries'),
            max_errors=max_errors,
        )
        for name, s in option['input'].items()
    ]


def _binary_labels(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
    return [
        _cantik.htk_labels_binary(_files(s), name, count(s, 'dim'), max_errors=max_errors)
        for name, s in option['input'].items()
    ]


def _lattices(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
    return [_cantik.htk_lattices(str(s['latticeIndexFile']), name) for name, s in option['input'].items()]


OPENS = {
    'HTKFeatureDeserializer': _features,
    'HTKMLFDeserializer': _labels,
    'HTKMLFBinaryDeserializer': _binary_labels,
    'LatticeDeserializer': _lattices,
}
