"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

JSON_OPTION = click.option('--json', 'as_json', is_flag=True, help='Print JSON, for programs.')


def write_json(value: Any) -> None:
    """Prints a value as JSON. What is no number there (a NaN, an infinity) is null."""
    click.echo(json.dumps(_plain(value), indent=2, allow_nan=False))


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, 'item'):  # a number of NumPy's
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows under a head; numbers to the right."""
    lines = [[shown(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in [list(head), *lines]) for i in range(len(head))]
    right = [all(not isinstance(row[i], str) for row in rows) for i in range(len(head))]
    return '\n'.join(
        '  '.join(
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right)
        ).rstrip()
        for line in [list(head), *lines]
    )


def shown(value: Any) -> str:
    """A cell: six figures of a number, nothing of None."""
    if value is None:
        return ''
    if isinstance(value, float):
        return f'{value:.6g}'
    return f'{value:,}' if isinstance(value, int) else str(value)


def bytes_shown(count: int) -> str:
    """A number of bytes as people read it."""
    size, unit = float(count), 'bytes'
    for larger in ('kB', 'MB', 'GB'):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f'{count} bytes' if unit == 'bytes' else f'{size:.3g} {unit}'
