#!/bin/sh
# Saves that are killed: 100 kills of a process that saves a table again and again, whole and by
# changes.  After each one the old pairs or the new ones load (tests/kills/snapshot_kills.c).
# `./run soak --kills N` has more of them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${ROOST_BUILD_DIR:?}/tests/snapshot_kills" 100 "${ROOST_TEST_SEED:-1}" "$folder"
