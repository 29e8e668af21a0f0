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
KNOWN = {
    'python/binding/lock.cc': "Python's own threads after a fork; a module for Windows has no fork",
    'python/binding/lock.h': 'a thread that may not go on sleeps for ever',
}


def problems():
    for file in with_suffix('.h', '.cc', under=['src', 'include', 'python']):
        place = name(file)
        headers = HEADER.findall(text(file))
        if headers and not place.startswith('src/base/') and place not in KNOWN:
            yield f'{place}: includes <{headers[0]}>; calls of the system stand in src/base'
        if not headers and place in KNOWN:
            yield f'{place}: needs no header of POSIX any more; take it from tools/checks/posix.py'
