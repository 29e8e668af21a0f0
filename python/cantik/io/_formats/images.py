"""Pictures: in files that a list names, in Base64, in folders."""

from __future__ import annotations

import os
from typing import Any

from ... import _cantik
from ..config import count, plain, switch

_PAIRS = {'sideRatio': float, 'areaRatio': float, 'aspectRatio': float, 'cropSize': int}


def _pair(given: str, kind: Any) -> tuple[Any, Any]:
    """CNTK's form of two numbers, "a:b"; a single one stands for both."""
    parts = [kind(part) for part in str(given).split(':')]
    return parts[0], parts[-1]


def _transform(description: Any) -> dict[str, Any]:
    option = {key: plain(value) for key, value in description.items()}
    return {key: _pair(value, _PAIRS[key]) if key in _PAIRS else value for key, value in option.items()}


def streams(option: dict[str, Any]) -> tuple[str, str, int, list[dict[str, Any]]]:
    """The names of both streams, how many classes there are, and the transforms."""
    image, label, classes, transforms = '', '', 0, []
    for name, described in option['input'].items():
        of_stream = plain(described)
        if 'labelDim' in of_stream:
            if label:
                raise ValueError(f'{option["type"]}: the streams {label} and {name} are both labels')
            label, classes = name, count(of_stream, 'labelDim')
        else:
            if image:
                raise ValueError(f'{option["type"]}: the streams {image} and {name} are both images')
            image = name
            transforms = [
                _transform(plain(t))
                for t in plain(of_stream['transforms'])
                if plain(t['type']) != 'Transpose'
            ]
    return image, label, classes, transforms


def _opens(kind: str) -> Any:
    def opened(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
        return [
            _cantik.images(
                kind,
                str(option['file']),
                *streams(option),
                switch(option, 'grayscale'),
                switch(option, 'reduced'),
                switch(option, 'cropAlone'),
                count(option, 'chunkSizeInBytes', 32 << 20),
                max_errors,
                count(option, 'seed', 0),
            )
        ]

    return opened


def class_names(description: Any) -> dict[str, list[str]]:
    """The names of classes by the stream of their labels: those of the folders in a folder of pictures."""
    if not isinstance(description, dict) or str(description.get('type')) != 'ImageFolderDeserializer':
        return {}
    option = {key: plain(value) for key, value in description.items()}
    label = streams(option)[1]
    if not label:
        return {}
    with os.scandir(option['file']) as entries:
        return {label: sorted(entry.name for entry in entries if entry.is_dir())}


OPENS = {
    'ImageDeserializer': _opens('map'),
    'Base64ImageDeserializer': _opens('base64'),
    'ImageFolderDeserializer': _opens('folder'),
}
