"""What clients of gRPC do wrong, as frames of HTTP/2: slow streams, calls that are reset at once, answers
that nobody takes, false sizes, halves, damage, connections without a call, more calls than can be carried."""

import selectors
import struct
import time

from wrong_clients import changed, connected, each_until, held, until_open, vanish

DATA, HEADERS, RESET, SETTINGS, PING, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
SLOW_CONNECTIONS, SLOW_STREAMS, SILENT, GREEDY_CONNECTIONS, GREEDY_CALLS = 20, 20, 100, 8, 12


def frame(kind, flags, stream, content=b''):
    return struct.pack('>I', len(content))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + content


def field(name, value):
    """Of a header, neither indexed nor compressed."""
    return b'\x00' + bytes([len(name)]) + name + bytes([len(value)]) + value


HEAD = b''.join(
    [
        field(b':method', b'POST'),
        field(b':scheme', b'http'),
        field(b':path', b'/inference.GRPCInferenceService/ModelInfer'),
        field(b':authority', b'localhost'),
        field(b'content-type', b'application/grpc'),
        field(b'te', b'trailers'),
    ]
)


def begin(settings=b''):
    return PREFACE + frame(SETTINGS, 0, 0, settings)


def headers(stream):
    return frame(HEADERS, END_HEADERS, stream, HEAD)


def call(stream, message, declared=None):
    size = len(message) if declared is None else declared
    content = b'\x00' + struct.pack('>I', size) + message
    return headers(stream) + frame(DATA, END_STREAM, stream, content)


def frames(content):
    """(kind, flags, stream) of those that are whole, and the rest."""
    found = []
    while len(content) >= 9:
        size = int.from_bytes(content[:3], 'big')
        if len(content) < 9 + size:
            break
        found.append((content[3], content[4], int.from_bytes(content[5:9], 'big') & 0x7FFFFFFF))
        content = content[9 + size :]
    return found, content


def grpc_half(port, message, seconds, results):
    """The beginning of a connection with calls, and an end or none."""
    text = begin() + call(1, message) + call(3, message)

    def work(draws):
        s = connected(port)
        s.sendall(text[: draws.randrange(len(text))])
        vanish(s) if draws.random() < 0.5 else s.close()

    each_until(seconds, work, results)


def grpc_vanishing(port, message, seconds, results):
    """Whole calls, several at a time, whose answers nobody reads."""

    def work(draws):
        s = connected(port)
        s.sendall(begin() + b''.join(call(2 * i + 1, message) for i in range(draws.randrange(1, 8))))
        vanish(s)

    each_until(seconds, work, results)


def grpc_damaged(port, message, seconds, results):
    """Calls with bytes that are others; the server answers or ends the connection."""
    changed(begin() + call(1, message), range(24, 600), port, seconds, results)


def grpc_declaring(port, message, seconds, results):
    """Messages that declare more, or less, than they have: refused, without data."""

    def work(draws):
        declared = draws.choice([2**32 - 1, 2**31, 64 << 20, len(message) + 1, len(message) - 1, 0])
        with connected(port) as s:
            s.sendall(begin() + call(1, message, declared))
            came, ended = b'', False
            while not ended:
                part = s.recv(1 << 16)
                if not part:
                    return None
                found, came = frames(came + part)
                if any(kind == DATA for kind, _, _ in found):
                    return f'a message of {len(message)} bytes that declares {declared} was answered'
                ended = any(stream == 1 and flags & END_STREAM for _, flags, stream in found)
        return None

    each_until(seconds, work, results)


def grpc_reset(port, message, seconds, results):
    """Calls that are reset as soon as they are there, many of them on one connection."""

    def work(draws):
        with connected(port) as s:
            s.sendall(begin())
            for i in range(draws.randrange(20, 200)):
                s.sendall(call(2 * i + 1, message) + frame(RESET, 0, 2 * i + 1, struct.pack('>I', 8)))

    each_until(seconds, work, results)


def grpc_taking_nothing(port, message, seconds, results):
    """Calls of clients that let no byte of an answer come: a window of 0."""
    no_window = struct.pack('>HI', 4, 0)

    def opened():
        s = connected(port)
        s.sendall(begin(no_window) + b''.join(call(2 * i + 1, message) for i in range(8)))
        return s

    held(1, seconds, 20, opened, frame(PING, 0, 0, bytes(8)), results)


def grpc_slow(port, message, seconds, results):
    """Streams that have begun, on connections that go on with pings."""

    def opened():
        s = connected(port)
        started = (headers(2 * i + 1) + frame(DATA, 0, 2 * i + 1, message[:20]) for i in range(SLOW_STREAMS))
        s.sendall(begin() + b''.join(started))
        return s

    sent = frame(DATA, 0, 1, b'a') + frame(PING, 0, 0, bytes(8))
    held(1, seconds, SLOW_CONNECTIONS, opened, sent, results)


def grpc_silent(port, message, seconds, results):
    """Connections without a call, and header blocks without an end."""

    def opened():
        s = connected(port)
        s.sendall(begin() + frame(HEADERS, 0, 1, HEAD[:40]))
        return s

    held(1, seconds, SILENT, opened, b'', results)


def grpc_greedy(port, message, seconds, results):
    """Connections with several calls at a time, each made again as soon as it has ended; how many ended."""
    until, ended = time.perf_counter() + seconds, 0
    with selectors.DefaultSelector() as ready:

        def join():
            s = connected(port)
            s.sendall(begin(struct.pack('>HI', 4, 1 << 20)) + frame(WINDOW, 0, 0, struct.pack('>I', 1 << 30)))
            state = {'next': 1, 'rest': b'', 'sent': b''}
            for _ in range(GREEDY_CALLS):
                ask(s, state)
            ready.register(s, selectors.EVENT_READ, state)

        def ask(s, state):
            s.sendall(call(state['next'], message))
            state['next'] += 2

        def take(s, state):
            part = s.recv(1 << 16)
            found, state['rest'] = frames(state['rest'] + part)
            if not part:
                raise ConnectionResetError
            for kind, flags, _ in found:
                if kind == SETTINGS and not flags & ACK:
                    s.sendall(frame(SETTINGS, ACK, 0))
                if kind == HEADERS and flags & END_STREAM:
                    ask(s, state)
                    yield

        for _ in range(GREEDY_CONNECTIONS):
            until_open(join)
        while time.perf_counter() < until:
            for key, _ in ready.select(0.1):
                try:
                    ended += sum(1 for _ in take(key.fileobj, key.data))
                except ConnectionError:
                    ready.unregister(key.fileobj)
                    key.fileobj.close()
                    until_open(join)
    results.put((ended, []))


ATTACKERS = [
    grpc_half,
    grpc_vanishing,
    grpc_damaged,
    grpc_declaring,
    grpc_reset,
    grpc_taking_nothing,
    grpc_slow,
    grpc_silent,
    grpc_greedy,
]
