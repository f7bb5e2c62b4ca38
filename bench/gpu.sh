#!/usr/bin/env bash
# Everything that needs a GPU, in four calls of at most nine minutes each, and what is better done before and after them:
#
#     bench/gpu.sh build --arch sm_90; bench/gpu.sh predictions                                # no GPU
#     bench/gpu.sh correctness; bench/gpu.sh times; bench/gpu.sh counters; bench/gpu.sh microbenchmarks
#     bench/gpu.sh plots                                                                       # no GPU
#     bench/gpu.sh --dry             # all stages on this machine's CPU, with small sizes
#     bench/gpu.sh --folder results  # where results go (build/gpu); a run that was cut off goes on there
#
# PYTHON is the interpreter that has accache's dependencies; else that of make's environment, which is made if need be.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${PYTHON:-}" ]; then
    make -s .venv/.dev
    PYTHON=.venv/bin/python
fi

stages=(build predictions correctness times counters microbenchmarks plots)
for word in "$@"; do
    for stage in "${stages[@]}"; do
        if [ "$word" = "$stage" ]; then
            PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" exec "$PYTHON" bench/gpu "$@"
        fi
    done
done
PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" exec "$PYTHON" bench/gpu "$@" "${stages[@]}"
