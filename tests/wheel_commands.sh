#!/bin/sh
# The commands of docs/deploy.md in an empty folder: wheel_commands.sh PAGE. Where `cantik` has no server, those before it.
set -eu
mkdir commands
awk '/^ *```sh$/ { inside = 1; next } /^ *```$/ { inside = 0 } inside { sub(/^   /, ""); print }' "$1" >commands/page
cd commands
if cantik serve --help >/dev/null 2>&1; then
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  sed "s/8000/$port/g" page >script
  what="train, inspect, convert, eval, serve"
else
  sed '/^cantik serve/,$d' page >script
  what="train, inspect, convert, eval; there is no server"
fi
sh -eu script >said 2>log || { cat said log >&2; exit 1; }
grep -q '^accuracy 0\.[89]\|^accuracy 1' said || { cat said >&2; exit 1; }
echo "the commands of $(basename "$1") work: $what"
