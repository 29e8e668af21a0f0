"""Models in files, and what their files keep of their training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import cantik as C

from ._program import errors_as_lines


def _load_libraries(context: click.Context, parameter: click.Parameter, paths: tuple[str, ...]) -> None:
    with errors_as_lines():
        for path in paths:
            C.load_operators(path)


MODEL = click.argument('model', type=click.Path(exists=True, dir_okay=False))
LIBRARY_OPTION = click.option(
    '--library',
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    callback=_load_libraries,
    expose_value=False,
    help='A library of operators (.so) that the model uses; once for each.',
)
# Of models by the endings of their files, which the server's folders have too.
_FORMATS = {
    **dict.fromkeys(('.model', '.dnn', '.cntk'), C.ModelFormat.CNTKv2),
    '.onnx': C.ModelFormat.ONNX,
}
# The custom attribute of a trained network: its loss, metrics, labels, columns, names of classes.
_KEY = 'cantik_training'


def format_of(path: str) -> C.ModelFormat:
    """The format that a model's file has by its ending. Any other file is not one to write a model over."""
    ending = Path(path).suffix.lower()
    if ending not in _FORMATS:
        raise ValueError(
            f"{path}: no format of models is known by the ending '{ending}'\n"
            f'  remedy   one of {", ".join(_FORMATS)}'
        )
    return _FORMATS[ending]


def save(network: Any, path: str) -> None:
    """Writes a network in the format that the ending says."""
    network.save(path, format=format_of(path))


def keep_training(network: Any, **facts: Any) -> None:
    """Notes with a network what `eval` asks for. Files of both formats keep it."""
    network.custom_attributes = {
        **network.custom_attributes,
        _KEY: {name: value for name, value in facts.items() if value},
    }


def training_of(network: Any) -> dict[str, Any]:
    """The facts that keep_training noted; nothing where a file has none, or others."""
    found = dict(network.custom_attributes).get(_KEY)
    return dict(found) if isinstance(found, dict) else {}


def text_in(facts: dict[str, Any], name: str) -> str | None:
    """A text among the facts."""
    value = facts.get(name)
    return value if isinstance(value, str) else None


def texts_in(facts: dict[str, Any], name: str) -> list[str] | None:
    """A list of texts among the facts."""
    value = facts.get(name)
    is_texts = isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)
    return list(value) if is_texts and value else None
