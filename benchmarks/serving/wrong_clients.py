"""What clients that do wrong have in common; they are processes of their own."""

import errno
import random
import socket
import struct
import time


def connected(port):
    return socket.create_connection(('127.0.0.1', port), timeout=20)


def vanish(s):
    """The connection is reset, not ended."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    s.close()


def until_open(join):
    """join() until the server, which may close a connection that has just come, lets it be."""
    while True:
        try:
            return join()
        except ConnectionError:
            time.sleep(0.1)


def each_until(seconds, work, results):
    """work(random) again and again, a little apart; how often, and what it returned that is wrong."""
    draws, until, count, wrong = random.Random(1), time.perf_counter() + seconds, 0, []
    while time.perf_counter() < until:
        try:
            said = work(draws)
        except OSError as error:  # the server closed first, which it may
            ended = isinstance(error, ConnectionError) or error.errno == errno.ENOTCONN
            said = None if ended else repr(error)
        wrong += [said] if said else []
        count += 1
        time.sleep(0.002)
    results.put((count, wrong[:5]))


def changed(text, places, port, seconds, results):
    """The text with some of the bytes at these places changed, as all of a connection."""

    def work(draws):
        content = bytearray(text)
        for _ in range(draws.randrange(1, 20)):
            content[draws.choice(places)] = draws.randrange(256)
        with connected(port) as s:
            s.sendall(content)
            s.shutdown(socket.SHUT_WR)
            while s.recv(1 << 16):
                pass

    each_until(seconds, work, results)


def held(pause, seconds, connections, opened, sent, results):
    """Connections that are opened, get a few bytes after each pause, and are opened again where they were
    closed; how often they were."""
    until, closed = time.perf_counter() + seconds, 0
    sockets = [None] * connections
    while time.perf_counter() < until:
        for i, s in enumerate(sockets):
            try:
                if s is None:
                    sockets[i] = opened()
                else:
                    s.sendall(sent)
            except OSError:
                closed += 1
                if s is not None:
                    s.close()
                sockets[i] = None
        time.sleep(pause)
    results.put((closed, []))
