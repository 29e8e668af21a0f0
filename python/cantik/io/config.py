"""What a source is made of, as a dictionary with CNTK's keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._checks import flag, refused, whole
from .._limits import INFINITELY_REPEAT
from ..internal.dictionaries import Dictionary, DictionaryValue
from .sources import DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Optional:
    """A value that may be missing."""

    def __init__(self, value=None):
        self.value = value

    def set(self, value):
        self.value = value

    def get(self):
        return self.value


class MinibatchSourceConfig:
    """Everything that is to be said of a source, before it is made.

    Args:
        deserializers (list): the files
        randomize (bool): whether sequences come in a random order

    Example:
        >>> import cantik as C
        >>> config = C.cntk_py.MinibatchSourceConfig(
        ...     [C.io.CTFDeserializer('train.ctf', C.io.StreamDefs(x=C.io.StreamDef('x', 2)))],
        ...     randomize=False,
        ... )
        >>> sorted(C.cntk_py.to_dictionary(config))
        ['deserializers', 'frameMode', 'multiThreadedDeserialization', 'randomize', 'traceLevel']
    """

    def __init__(self, deserializers: Any = (), randomize: bool = True):
        self.deserializers = (
            list(deserializers) if isinstance(deserializers, (list, tuple)) else [deserializers]
        )
        self.max_samples = self.max_sweeps = INFINITELY_REPEAT
        self.randomization_window_in_chunks = DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS if randomize else 0
        self.randomization_window_in_samples = self.randomization_seed = self.truncation_length = (
            self.max_errors
        ) = 0
        self.trace_level, self.is_frame_mode_enabled, self.is_multithreaded = 1, False, _Optional()

    def add_deserializer(self, deserializer: Mapping[str, Any]) -> MinibatchSourceConfig:
        """One more file."""
        self.deserializers.append(deserializer)
        return self

    @property
    def randomize(self) -> bool:
        """Whether the order is random: there is a window."""
        return self.randomization_window_in_chunks > 0 or self.randomization_window_in_samples > 0

    def check(self) -> None:
        """Options that do not go together."""

        def exclude(what):
            raise RuntimeError(f'MinibatchSourceConfig: {what}.')

        if self.max_samples != INFINITELY_REPEAT and self.max_sweeps != INFINITELY_REPEAT:
            exclude(
                'max samples and max sweeps are mutually exclusive options and cannot have non-default '
                'values at the same time'
            )
        if self.randomization_window_in_chunks > 0 and self.randomization_window_in_samples > 0:
            exclude(
                'randomization window in chunks and randomization window in samples are mutually exclusive '
                'options and cannot have non-zero values at the same time'
            )
        if self.is_frame_mode_enabled and self.truncation_length > 0:
            exclude('truncation and frame mode are mutually exclusive options')


def plain(value: Any) -> Any:
    """What a DictionaryValue holds."""
    return value.item() if isinstance(value, DictionaryValue) else value


_WORDS = {'true': True, 't': True, '1': True, 'false': False, 'f': False, '0': False}


def switch(option: Mapping[str, Any], key: str) -> bool:
    """Whether a key of a description is on: a bool, or one of CNTK's words for it. Without it it is off."""
    value = plain(option.get(key, False))
    return flag(_WORDS.get(value.strip().lower(), value) if isinstance(value, str) else value, key)


def count(option: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """The whole number of a key of a description, which may be a text, as in CNTK's configurations."""
    value = plain(option[key] if default is None else option.get(key, default))
    try:
        return int(value) if isinstance(value, str) else whole(value, key)
    except ValueError:
        raise refused(key, 'a whole number', value) from None


def to_dictionary(config: MinibatchSourceConfig) -> Dictionary:
    """A checked configuration as a dictionary with CNTK's keys."""
    config.check()
    threads = config.is_multithreaded.get()
    if threads is None:
        threads = any(
            d.get('type') in ('ImageDeserializer', 'Base64ImageDeserializer') for d in config.deserializers
        )
    d = Dictionary(
        randomize=config.randomize,
        deserializers=[Dictionary(d) for d in config.deserializers],
        frameMode=config.is_frame_mode_enabled,
        traceLevel=int(getattr(config.trace_level, 'value', config.trace_level)),
        multiThreadedDeserialization=bool(threads),
    )
    if config.randomize:
        in_samples = config.randomization_window_in_samples > 0
        d.update(
            randomizationWindow=config.randomization_window_in_samples
            if in_samples
            else config.randomization_window_in_chunks,
            sampleBasedRandomizationWindow=in_samples,
            randomizationSeed=config.randomization_seed,
        )
    if config.truncation_length > 0:
        d.update(truncated=True, truncationLength=config.truncation_length)
    if config.max_errors > 0:
        d['maxErrors'] = config.max_errors
    return d
