#!/bin/sh
# Installs what is missing: Debian packages, and a Python environment in .venv. Says what it does; quick when all is there.
set -eu
cd "$(dirname "$0")/.."

need() { # need PROGRAM_OR_FILE PACKAGE: remembers the package where the thing is missing
  case $1 in
    /*) [ -e "$1" ] || missing="$missing $2" ;;
    *) command -v "$1" >/dev/null 2>&1 || missing="$missing $2" ;;
  esac
}
missing=
need g++ g++
need cmake cmake
need ninja ninja-build
need make make
need git git
need python3 python3
need clang++ clang
need dot graphviz
need /usr/include/gtest/gtest.h libgtest-dev
need /usr/include/benchmark/benchmark.h libbenchmark-dev
need /usr/include/protozero/pbf_reader.hpp libprotozero-dev
need /usr/include/zlib.h zlib1g-dev
need /usr/include/boost/random.hpp libboost-dev
python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
[ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ] || missing="$missing python3-dev"
if [ -n "$missing" ]; then
  root=
  [ "$(id -u)" = 0 ] || root=sudo
  echo "installing system packages:$missing"
  $root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

wanted=$(cksum <requirements.txt)
if [ "$(cat .venv/cantik-requirements 2>/dev/null)" != "$wanted" ]; then
  echo "making the Python environment .venv"
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/python -m pip install -q --disable-pip-version-check -r requirements.txt
  # Where the build puts the package, so that `import cantik` and `import cntk` work in this environment.
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  echo "$PWD/build/release/python" >"$site/cantik-build.pth"
  echo "$wanted" >.venv/cantik-requirements
fi
