"""Files that are written whole or not at all."""

from .._files import write_whole as write_whole
