#!/bin/sh
# Runs each fuzzer for a number of seconds from the kept corpus: run.sh BUILD SECONDS
#
# New inputs go to BUILD/found; an input that found a defect (crash-*, timeout-*, oom-*) stays there and the run fails. Once the
# defect is repaired, the input is kept in corpus/.
set -eu
build=$1 seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
for name in dictionary model onnx training text_format image binary_format htk_archive htk_script htk_text_labels htk_binary_labels htk_lattices csv npy npz image_list ctf_index safetensors serve_json serve_grpc; do
  [ -x "$build/tests/fuzz/${name}_fuzz" ] || { echo "$name: not built, its libraries are missing"; continue; }
  mkdir -p "$build/found/$name"
  "$build/tests/fuzz/${name}_fuzz" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=1024 -max_len=20000 -print_final_stats=1 \
    -artifact_prefix="$build/found/" "$build/found/$name" "$here/corpus/$name" 2>&1 | tee "$build/found/$name.log" | grep -E '^#.*(INITED|DONE)|stat::|ERROR|SUMMARY|Test unit|defect' || true
  if grep -q 'SUMMARY\|ERROR: ' "$build/found/$name.log"; then exit 1; fi
done
