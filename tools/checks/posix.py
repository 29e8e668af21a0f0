"""Calls of the system stand in src/base, so that another system asks for other files there and nowhere else.

Files elsewhere that include headers of POSIX are listed here, with the reason. The list only gets shorter:
a file that needs no such header any more is taken from it.
"""

import re

from checks.tree import name, text, with_suffix

HEADER = re.compile(
    r'^\s*#\s*include\s*<((?:sys|net|netinet|arpa)/\w+\.h|(?:unistd|dlfcn|pthread|fcntl|poll|netdb|dirent|'
    r'sched|ifaddrs|termios|pwd|glob|spawn|semaphore|syslog)\.h)>',
    re.M,
)
SOCKETS = 'TCP between workers: sockets have no place in base yet, and Windows has others'
LIBRARIES = 'loads a library: dlopen wants a function in base'
FILES = 'reads or writes a file by its descriptor: wants a class in base beside file.h'
PROCESS = 'asks who the process is: wants a function in base'
KNOWN = {
    'python/binding/lock.cc': "Python's own threads after a fork; a module for Windows has no fork",
    'python/binding/lock.h': 'a thread that may not go on sleeps for ever',
    'src/distributed/communicator.cc': PROCESS,
    'src/distributed/find_engine.cc': LIBRARIES,
    'src/distributed/mpi/module.cc': LIBRARIES,
    'src/distributed/socket.cc': SOCKETS,
    'src/distributed/tcp_engine.cc': SOCKETS,
    'src/distributed/watch.cc': SOCKETS,
    'src/graph/registry.cc': LIBRARIES,
    'src/io/chunk_loader.cc': PROCESS,
    'src/io/chunk_loader.h': PROCESS,
    'src/io/image/codec_library.cc': LIBRARIES,
    'src/io/input_file.cc': FILES,
    'src/serve/main.cc': 'as many connections as the system lets a process have: setrlimit',
    'src/serve/metrics.cc': 'the memory of the process, from /proc',
    'src/train/event_file.cc': FILES,
    'src/train/progress_bar.cc': 'asks whether the standard error is a terminal',
}


def problems():
    for file in with_suffix('.h', '.cc', under=['src', 'include', 'python']):
        place = name(file)
        headers = HEADER.findall(text(file))
        if headers and not place.startswith('src/base/') and place not in KNOWN:
            yield f'{place}: includes <{headers[0]}>; calls of the system stand in src/base'
        if not headers and place in KNOWN:
            yield f'{place}: needs no header of POSIX any more; take it from tools/checks/posix.py'
