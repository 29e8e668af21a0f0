"""Reading ahead: the next minibatch is made on another thread while the network trains."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from .._checks import listed, refused

if TYPE_CHECKING:
    from .._cantik import DeviceDescriptor


class ReadAhead:
    """A source whose next minibatch is made on another thread, while the caller is busy with the last one.

    Training loops use it for sources that allow it (`read_ahead = True`); around a source in a loop of one's
    own it asks for the minibatch after the next as if it were asked for the same again. The source is called
    by one thread at a time. The state for a checkpoint is that before what has been read ahead.

    Args:
        source: a source of minibatches

    Example:
        >>> import cantik as C, numpy as np
        >>> source = C.io.MinibatchSourceFromData(dict(x=np.arange(4, dtype=np.float32).reshape(4, 1)))
        >>> with C.io.ReadAhead(source) as ahead:
        ...     (
        ...         ahead.next_minibatch(2)[source.streams.x].asarray().ravel(),
        ...         ahead.next_minibatch(2)[source.streams.x].asarray().ravel(),
        ...     )
        (array([0., 1.], dtype=float32), array([2., 3.], dtype=float32))
    """

    native_source = None  # loops call next_minibatch

    def __init__(self, source: Any):
        if not callable(getattr(source, 'next_minibatch', None)):
            raise refused('source', 'a source of minibatches', source)
        self._wrapped = source
        self._next = getattr(source, '_next_of_loop', source.next_minibatch)
        self._has_state = hasattr(source, 'get_checkpoint_state')
        self._thread = None
        self._pending = None  # (request, future of (the state before, the minibatch))
        self._by_itself = True

    def __getattr__(self, name):
        if name == '_wrapped':
            raise AttributeError(name)
        return getattr(self._wrapped, name)

    def __getitem__(self, name):
        return self._wrapped[name]

    def _expect(self, *request):
        """The next call will ask for this."""
        self._by_itself = False
        self._begin(request)

    def _begin(self, request):
        def make():
            state = self._wrapped.get_checkpoint_state() if self._has_state else None
            return state, self._next(*request)

        if self._pending is not None:
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, 'cantik-read-ahead')
        self._pending = request, self._thread.submit(make)

    def next_minibatch(
        self,
        num_samples: int,
        number_of_workers: int = 1,
        worker_rank: int = 0,
        device: DeviceDescriptor | None = None,
    ) -> Any:
        """What the source brings next."""
        request = num_samples, number_of_workers, worker_rank, device
        if self._pending is not None and self._pending[0] != request:
            self._put_back()
        self._begin(request)
        _, made = self._pending
        self._pending = None
        batch = made.result()[1]
        if batch and self._by_itself:
            self._begin(request)
        return batch

    _next_of_loop = next_minibatch

    def _put_back(self):
        """The source goes back to before what was read ahead, if it has a state; otherwise that comes next,
        whatever is asked for."""
        if self._pending is None:
            return
        try:
            state, _ = self._pending[1].result()
        except Exception:  # comes again when it is asked for
            return
        if state:
            self._pending = None
            self._wrapped.restore_from_checkpoint(state)

    def get_checkpoint_state(self) -> dict[str, Any]:
        """Where the source stands, as if nothing had been read ahead."""
        return (
            self._pending[1].result()[0]
            if self._pending is not None
            else self._wrapped.get_checkpoint_state()
        )

    def restore_from_checkpoint(self, state: Any) -> None:
        """Goes to where get_checkpoint_state stood."""
        self._drop()
        self._wrapped.restore_from_checkpoint(state)

    def restore_from_workers(self, states: list[Any], number_of_workers: int, worker_rank: int) -> None:
        """Goes on where the workers of a training were, with their states, as one of another number of
        workers."""
        given = listed(states, 'states')
        if not given:
            raise refused('states', 'a list with a state of each worker', states)
        self._drop()
        if hasattr(self._wrapped, 'restore_from_workers'):
            self._wrapped.restore_from_workers(given, number_of_workers, worker_rank)
        else:
            self._wrapped.restore_from_checkpoint(given[0])

    def _drop(self):
        if self._pending is not None:
            self._pending[1].exception()  # has ended
            self._pending = None

    def close(self) -> None:
        """Ends the thread. The source stands where the caller has come to, if it has a state to go back
        to."""
        self._put_back()
        if self._thread is not None:
            self._thread.shutdown()
        self._thread, self._by_itself = None, True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
