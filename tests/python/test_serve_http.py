"""Requests of HTTP/1.1 as RFC 9112 has them. A proxy may stand before the server: both must see the same ends
of requests, so that what one takes for a body is no request to the other."""

import json
import re
import socket
import time

import numpy as np
import pytest

from serving import PROGRAM, tensor

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)

BODY = json.dumps({'inputs': [tensor('x', np.zeros((1, 6), np.float32))]}).encode()
CHUNKS = b'%x\r\n%s\r\n0\r\n\r\n' % (len(BODY), BODY)
LINE = b'POST /v2/models/mlp/infer HTTP/1.1\r\n'
HOST = b'Host: a\r\n'
LENGTH = b'Content-Length: %d\r\n' % len(BODY)
CHUNKED = b'Transfer-Encoding: chunked\r\n'
END = b'Connection: close\r\n\r\n'
NEXT = b'GET /v2 HTTP/1.1\r\n' + HOST + END


def answered(server, *parts):
    """All that comes back, up to the end of the connection, of bytes that are sent in parts."""
    came = b''
    with socket.create_connection(('127.0.0.1', server.port), timeout=20) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            s.sendall(part)
            if part is not parts[-1]:
                time.sleep(0.002)
        while more := s.recv(65536):
            came += more
    return came


def statuses(server, *parts):
    return [int(status) for status in re.findall(rb'HTTP/1\.1 (\d+) ', answered(server, *parts))]


def test_requests_behind_one_another(server):
    whole = LINE + HOST + LENGTH + b'\r\n' + BODY
    in_chunks = LINE + HOST + CHUNKED + b'\r\n' + CHUNKS
    assert statuses(server, whole + in_chunks + whole + NEXT) == [200] * 4
    assert (
        statuses(server, *((in_chunks + NEXT)[i : i + 1] for i in range(len(in_chunks + NEXT)))) == [200] * 2
    )


@pytest.mark.parametrize('coding', [b'chunked', b'Chunked', b'CHUNKED', b' \t chunked \t'])
def test_bodies_in_chunks(server, coding):
    head = LINE + HOST + b'Transfer-Encoding:' + coding + b'\r\n\r\n'
    assert statuses(server, head + CHUNKS + NEXT) == [200, 200]
    split = b'3 ; a=b;c="d, e"\r\n%s\r\n%x;f\r\n%s\r\n000;g\r\nX: y\r\n\r\n' % (
        BODY[:3],
        len(BODY) - 3,
        BODY[3:],
    )
    assert statuses(server, head + split + NEXT) == [200, 200]


@pytest.mark.parametrize(
    ('fields', 'status'),
    [
        (b'Transfer-Encoding: identity', 400),
        (b'Transfer-Encoding: xchunked', 400),
        (b'Transfer-Encoding: chunkedx', 400),
        (b'Transfer-Encoding: cow', 400),
        (b'Transfer-Encoding:', 400),
        (b'Transfer-Encoding: ,', 400),
        (b'Transfer-Encoding: chunked,', 400),
        (b'Transfer-Encoding: chunked, chunked', 400),
        (b'Transfer-Encoding: chunked, identity', 400),
        (b'Transfer-Encoding: chunked, gzip, chunked', 400),
        (b'Transfer-Encoding: chunked;q=1', 400),
        (b'Transfer-Encoding: "chunked"', 400),
        (b'Transfer-Encoding: \x0bchunked', 400),
        (b'Transfer-Encoding: gzip', 400),
        (b'Transfer-Encoding: gzip, chunked', 501),
        (b'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked', 501),
        (b'Transfer-Encoding: identity\r\nTransfer-Encoding: Chunked', 501),
        (b'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', 400),
        (b'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', 400),
        (b'Transfer-Encoding: chunked\r\nTransfer-Encoding:', 400),
        (b'Transfer-Encoding: chunked\r\nContent-Length: 5', 400),
        (b'Content-Length: 5\r\nTransfer-Encoding: chunked', 400),
        (b'Transfer-Encoding: xchunked\r\nContent-Length: 5', 400),
        (b'Content-Length: 5\r\nTransfer-Encoding: xchunked', 400),
        (b'Content-Length: 0\r\nTransfer-Encoding: identity', 400),
        (b'Content-Length: 5\r\nContent-Length: 6', 400),
        (b'Content-Length: 5\r\nContent-Length: 5', 400),
        (b'Content-Length: 5, 5', 400),
        (b'Content-Length: 5,', 400),
        (b'Content-Length: +5', 400),
        (b'Content-Length: -5', 400),
        (b'Content-Length: 0x5', 400),
        (b'Content-Length: 5e0', 400),
        (b'Content-Length: 5 5', 400),
        (b'Content-Length: 5;a', 400),
        (b'Content-Length:', 400),
        (b'Content-Length: 18446744073709551616', 400),
        (b'Content-Length: 18446744073709551621', 400),
        (b'Content-Length: 18446744073709551615', 413),
    ],
)
@pytest.mark.parametrize('line', [LINE, b'GET /v2 HTTP/1.1\r\n'])
def test_the_end_of_a_body_is_said_once_and_plainly(server, line, fields, status):
    """What stands behind such a header is no request."""
    assert statuses(server, line + HOST + fields + b'\r\n\r\n' + NEXT) == [status]
    assert statuses(server, line + HOST + fields + b'\r\n\r\n', NEXT) == [status]


@pytest.mark.parametrize(
    'fields',
    [
        b'Content-Length:\r\n 5',
        b'Content-Length: 5\r\n ',
        b'X: a\r\n\tContent-Length: 5',
        b'Transfer-Encoding: chunked\r\n , identity',
        b'Content-Length : 5',
        b' Content-Length: 5',
        b'Content-Length\t: 5',
        b': 5',
        b'Content-Length',
        b'X: a\nContent-Length: 5',
        b'X: a\rContent-Length: 5',
        b'X: a\0b',
        b'X: a\x7fb',
        b'X\0: a',
        b'X\xc3\xa9: a',
        b'X: a\r\r\nY: b',
    ],
)
def test_fields_that_servers_read_differently(server, fields):
    assert statuses(server, LINE + HOST + fields + b'\r\n\r\n' + NEXT) == [400]
    assert statuses(server, LINE + fields + b'\r\n' + HOST + b'\r\n', NEXT) == [400]


@pytest.mark.parametrize('end', [b'\n', b'\r'])
def test_lines_with_another_end_are_answered_at_once(server, end):
    """No empty line that is right comes behind them."""
    assert statuses(server, (LINE + HOST + LENGTH).replace(b'\r\n', end) + end + BODY) == [400]
    assert statuses(server, LINE + HOST, LENGTH.replace(b'\r\n', end) + end + BODY) == [400]
    chunks = CHUNKS.replace(b'\r\n', end)
    assert statuses(server, LINE + HOST + CHUNKED + b'\r\n', chunks) == [400]
    assert statuses(server, LINE + HOST + CHUNKED + b'\r\n', *(chunks[i : i + 1] for i in range(20))) == [400]


@pytest.mark.parametrize(
    'chunks',
    [
        b'-5\r\nhello\r\n0\r\n\r\n',
        b'0x5\r\nhello\r\n0\r\n\r\n',
        b' 5\r\nhello\r\n0\r\n\r\n',
        b'5 \r\nhello\r\n0\r\n\r\n',
        b'\r\nhello\r\n0\r\n\r\n',
        b'10000000000000005\r\nhello\r\n0\r\n\r\n',
        b'5\r\nhelloXX0\r\n\r\n',
        b'5\r\nhello0\r\n\r\n',
        b'5\nhello\r\n0\r\n\r\n',
        b'5;a\nhello\r\n0\r\n\r\n',
        b'5;a="\n"\r\nhello\r\n0\r\n\r\n',
        b'5;a="\0"\r\nhello\r\n0\r\n\r\n',
        b'5;\r\nhello\r\n0\r\n\r\n',
        b'5\r\nhello\r\n0;a="\n"\r\n\r\n',
        b'5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n',
        b'5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n',
        b'5\r\nhello\r\n0\r\nX: a\nY: b\r\n\r\n',
    ],
)
def test_chunks_that_servers_read_differently(server, chunks):
    assert statuses(server, LINE + HOST + CHUNKED + b'\r\n' + chunks + NEXT) == [400]


@pytest.mark.parametrize(
    'field',
    [b'Content-Encoding: gzip', b'Inference-Header-Content-Length: 3', b'Connection: close', b'X: a\r\n b'],
)
def test_fields_behind_a_body_change_nothing(server, field):
    request = LINE + HOST + CHUNKED + b'\r\n' + CHUNKS[:-2] + field + b'\r\n\r\n'
    assert statuses(server, request + NEXT) == [200, 200]
    # The same in parts, the last of which begins within the field.
    assert statuses(server, request[:-6], request[-6:] + NEXT) == [200, 200]


def test_http_1_0(server):
    line = LINE.replace(b'1.1', b'1.0')
    assert statuses(server, line + LENGTH + b'\r\n' + BODY + NEXT) == [200]
    assert statuses(server, line + b'Connection: Keep-Alive\r\n' + LENGTH + b'\r\n' + BODY + NEXT) == [
        200,
        200,
    ]
    assert statuses(server, line + b'Expect: 100-continue\r\n' + LENGTH + b'\r\n' + BODY) == [200]
    assert statuses(server, line + CHUNKED + b'\r\n' + CHUNKS + NEXT) == [400]
    assert statuses(server, line + HOST + HOST + b'\r\n' + NEXT) == [400]


def test_when_a_connection_goes_on(server):
    line = b'GET /v2 HTTP/1.1\r\n' + HOST
    both = b'Connection: keep-alive\r\nConnection: X, Close\r\n\r\n'
    assert statuses(server, line + both + NEXT) == [200]
    assert statuses(server, line + b'Connection: keep-alive\r\n\r\n' + NEXT) == [200, 200]
    # A model that is not there is no reason to end it, and its body is no request.
    none = b'GET /v2/models/none HTTP/1.1\r\n' + HOST + b'Content-Length: %d\r\n\r\n' % len(NEXT)
    assert statuses(server, none + NEXT + NEXT) == [404, 200]


@pytest.mark.parametrize(
    ('fields', 'text'),
    [
        (b'', b'needs the field Host'),
        (HOST + HOST, b'the field Host stands 2 times'),
        (HOST + b'Host: b\r\n', b'the field Host stands 2 times'),
        (b'Host: a/b\r\n', b'names no host: a/b'),
        (b'Host: a b\r\n', b'names no host: a b'),
        (b'Host: u@a\r\n', b'names no host: u@a'),
    ],
)
def test_one_host(server, fields, text):
    came = answered(server, b'GET /v2 HTTP/1.1\r\n' + fields + b'\r\n' + NEXT)
    assert re.findall(rb'HTTP/1\.1 (\d+) ', came) == [b'400']
    assert text in came


@pytest.mark.parametrize('host', [b'localhost:8000', b'[::1]:80', b'a-b.example', b'a%20b', b''])
def test_hosts(server, host):
    assert statuses(server, b'GET /v2 HTTP/1.1\r\nhost: ' + host + b'\r\n' + END) == [200]


def test_the_size_of_the_json_stands_once(server):
    size = b'Inference-Header-Content-Length: %d\r\n' % len(BODY)
    assert statuses(server, LINE + HOST + LENGTH + size + END + BODY) == [200]
    for second in (size, size.replace(b': ', b': 1')):
        came = answered(server, LINE + HOST + LENGTH + size + second + b'\r\n' + BODY)
        assert b'the field Inference-Header-Content-Length stands 2 times' in came
    for wrong in (b'+5', b'5, 5', b'', b'99999999999999999999'):
        came = answered(server, LINE + HOST + b'Inference-Header-Content-Length: ' + wrong + b'\r\n\r\n')
        assert b'must be a number' in came


def test_the_coding_of_the_content(server):
    for codings, status in [
        (b'Content-Encoding: Identity\r\n', 200),
        (b'Content-Encoding: gzip\r\n', 415),
        (b'Content-Encoding: identity\r\nContent-Encoding: gzip\r\n', 415),
    ]:
        assert statuses(server, LINE + HOST + codings + LENGTH + END + BODY) == [status]


@pytest.mark.parametrize(
    ('target', 'status'),
    [
        (b'/v2/health/live', 200),
        (b'/v2/health/live?a=http://b/c', 200),
        (b'http://a/v2/health/live', 200),
        (b'HTTPS://a:8000/v2/health/live?b', 200),
        (b'http://other/metrics', 200),
        (b'http://a', 200),
        (b'http://a?b=/v2/none', 200),
        (b'http://a/v2/none', 404),
        (b'http:///v2/health/live', 400),
        (b'ftp://a/v2/health/live', 400),
        (b'http:a', 400),
        (b'xv2/health/live', 400),
        (b'*', 400),
        (b'a:80', 400),
    ],
)
def test_targets(server, target, status):
    assert statuses(server, b'GET ' + target + b' HTTP/1.1\r\n' + HOST + END) == [status]


def test_an_absolute_target_of_a_model(server):
    line = LINE.replace(b'/v2', b'http://proxied.example:80/v2')
    assert statuses(server, line + HOST + LENGTH + END + BODY) == [200]


def test_empty_lines_before_a_request(server):
    whole = LINE + HOST + LENGTH + b'\r\n' + BODY
    assert statuses(server, b'\r\n' + NEXT) == [200]
    assert statuses(server, b'\r\n\r\n' + whole + b'\r\n' + NEXT) == [200, 200]
    assert statuses(server, b'\r', b'\n', whole, b'\r\n', b'\r', b'\n' + NEXT) == [200, 200]
    assert statuses(server, b'\rG' + NEXT) == [400]
    assert statuses(server, b'\n' + NEXT) == [400]


def test_an_expectation_is_read_in_any_case(server):
    came = answered(server, LINE + HOST + b'Expect: 100-Continue\r\n' + LENGTH + END + BODY)
    assert re.findall(rb'HTTP/1\.1 (\d+) ', came) == [b'100', b'200']


def test_a_refused_question_for_the_head_has_no_body(server):
    came = answered(server, b'HEAD /v2 HTTP/1.1\r\n\r\n')
    assert came.startswith(b'HTTP/1.1 400 ')
    assert came.endswith(b'\r\n\r\n')
    # The request behind it is none.
    came = answered(server, b'HEAD /v2 HTTP/1.1\r\n' + HOST + b'\r\nGET /v2 HTTP/1.1\r\n\r\n')
    assert b'needs the field Host' in came


def test_what_has_no_end_takes_no_memory(server):
    field, head = b'X: ' + b'a' * 4000 + b'\r\n', LINE + HOST
    whole = head + LENGTH
    assert statuses(server, head + field * 3 + LENGTH + END + BODY) == [200]
    chunked = head + CHUNKED + b'\r\n'
    before = server.memory()
    for parts in (
        [head, *[field] * 6],
        [head, *[b'a: b\r\n'] * 4000],
        [whole, b'X: ', *[b'a' * 4000] * 6],
        [chunked, b'5;a=', *[b'b' * 4000] * 6],
        [chunked, b'5;a="', *[b'b' * 4000] * 6],
        [chunked, b'000', *[b'0' * 4000] * 6],
        [chunked, CHUNKS[:-2], *[field] * 6],
    ):
        assert statuses(server, *parts) == [431], parts[:2]
    assert server.memory() - before < 16 << 20
