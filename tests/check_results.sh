#!/bin/sh
# .ci/check-results passes the output of tests/device-log and roost-bench for a sound tree, and
# finds each fault in results.  The tree is a small repository with one planted fault at a time.
# Scripts that print the same stand in for a GPU's programs and tools.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
command -v git >/dev/null || exit 77
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES="${work%/*}"
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
unset GIT_DIR GIT_WORK_TREE
log=bench/results/gpu-tests.txt
json=bench/results/gpu.json

# script FILE: an executable with these lines from stdin.
script() {
    { echo '#!/bin/sh' && cat; } >"$1" && chmod +x "$1"
}

commit() { git add -A && git commit -q -m "a change"; }

# ---- Stand-ins for programs and tools

binaries=$work/binaries
tools=$work/tools
mkdir "$binaries" "$tools" "$work/sound" || exit 1
for program in test_one test_two; do
    echo 'basename "$0" >>"${RAN:-/dev/null}"; [ "${ROOST_TEST_SAMPLE:-}" = "${SAMPLE:-3}" ] || exit 9
          [ -z "${MEETING:-}" ] || "$(dirname "$0")/meet" || exit 8
          echo "[==========] 5 test(s) run."; echo "[  PASSED  ] ${PASSED:-5} test(s)."
          [ -z "${SKIPPED:-}" ] || echo "[  SKIPPED ] $SKIPPED test(s), listed below:"; exit "${EXIT:-0}"' | script "$binaries/$program"
done
echo 'echo "verified      all of it"; exit "${ROOST_EXIT:-0}"' | script "$work/roost"
script "$binaries/sanitized_scenario" <<'END'
[ "$1" != --commit ] || cat "$(dirname "$0")/commit"
END
# Waits until two programs are here at the same time; fails if no other one comes.
script "$binaries/meet" <<'END'
mkdir "$MEETING/$$"
for _ in $(seq 100); do
    [ "$(ls "$MEETING" | wc -l)" -lt 2 ] || exit 0
    sleep 0.1
done
exit 1
END
script "$tools/nvidia-smi" <<'END'
echo "${GPU:-NVIDIA H200}"
END
script "$tools/compute-sanitizer" <<'END'
case $3,${FOUND:-} in
*/planted_faults,) errors=3 ;;
*/planted_faults,*) errors=0 ;;
*) errors=${ERRORS:-0} ;;
esac
[ "$2" = racecheck ] && echo "========= RACECHECK SUMMARY: $errors hazards displayed ($errors errors, 0 warnings)"
[ "$2" = racecheck ] || echo "========= ERROR SUMMARY: $errors errors"
END
PATH=$tools:$PATH

passed=$binaries/device-log/passed

# write_more [PART...]: the output of tests/device-log here, which goes on from the last one.
write_more() { tests/device-log "$binaries" cuda:0 "$@" 2>/dev/null; }
# write_log [PART...]: the same from the start.
write_log() { rm -f "$passed" && write_more "$@"; }

# ---- A sound tree, and its results

cd "$work/sound" || exit 1
mkdir -p .ci tests src/engines/dycuckoo src/engines/slab src/api include bench/results
cp "$ROOST_SOURCE_DIR/.ci/check-results" .ci
cp "$ROOST_SOURCE_DIR/tests/device-log" "$ROOST_SOURCE_DIR/tests/device-programs" tests
for file in src/a.c src/engines/dycuckoo/a.c src/engines/slab/a.c include/a.h bench/a.c; do echo '/* a */' >$file; done
for row in a b; do echo "    {\"gpu/[$row]/find\", TARGET_GPU_KEYS, 1e9, \"a plan\"},"; done >bench/targets.h
for program in test_one test_two; do echo '    suite_begin(argc, argv);' >tests/$program.c; done
echo '    suite_begin_on_host(argc, argv);' >tests/test_three.c
git init -q && commit && git rev-parse --short HEAD >"$binaries/commit" || exit 1
measured=$(cat "$binaries/commit")
write_log >$log || failed=1

# house PLACE: the rows of all engines there, one a line, as roost-bench writes them.
house() {
    for engine in dycuckoo slab; do
        for row in insert find-100; do echo "{\"row\": \"$1/house/$engine/base/$row\", \"state\": \"OK\"},"; done
    done
}
{
    printf '{\n"commit": "%s",\n"rows": [\n' "$measured"
    house gpu
    house host-2
    printf '{"row": "gpu/[a]/find", "state": "OK", "asked": 1000000000.0, "met": true}\n]\n}\n'
} >$json
{
    echo "roost-bench 0.1.0, commit $measured, seed 1"
    echo "gpu/[b]/find     12.1 G/s    60 %  20 random reads    1 met     100.00    1000 0.800     -     10.0     100.00"
} >bench/results/gpu.txt
echo "# What each file is for" >bench/results/README.md
commit || exit 1

# planted COMMAND...: changes a copy of the sound tree, and goes there.
planted() {
    rm -rf "$work/planted" && cp -r "$work/sound" "$work/planted" && cd "$work/planted" && "$@"
}

# judges CODE TEXT: .ci/check-results exits with CODE here and prints TEXT.
judges() {
    .ci/check-results >"$work/out" 2>"$work/err"
    code=$?
    [ $code = "$1" ] || { echo "exit $code, not $1"; cat "$work/out"; return 1; }
    cat "$work/err" >>"$work/out" && says "$2"
}

# finds TEXT COMMAND...: plants and commits the fault; the check finds it with this text.
finds() {
    text=$1
    shift
    planted "$@" && commit && judges 1 "$text" && tail -1 "$work/out" | grep -qE '^[0-9]+ passed, [1-9][0-9]* failed$'
}

# edit FILE EXPRESSION: edits by sed; an expression that changes nothing is no fault.
edit() {
    sed -i "$2" "$1" && ! git diff --quiet -- "$1"
}

relog() { write_log "$@" >$log || true; }

# measured_again: commits the present code, and results of it.
measured_again() { commit && sed -i "s/$measured/$(git rev-parse --short HEAD)/" bench/results/*; }

check "a sound tree passes" judges 0 "37 passed, 0 failed"
missed() { edit $json 's/"met": true/"met": false/' && commit && judges 0 "MISSED - 1 of 2 numbers asked for: gpu/[a]/find ($json)"; }
check "a number that is missed is named" planted missed
missed_text() { edit bench/results/gpu.txt 's/1 met/1 MISSED/' && commit && judges 0 "MISSED - 1 of 2 numbers asked for: gpu/[b]/find"; }
check "so is one of a text report" planted missed_text
check "no other one is" eval 'planted true && ! .ci/check-results | grep MISSED'
check "rates of kernels that count" finds "its kernels count" edit $json 's/"commit"/"kernels_count": true,\n"commit"/'
indented() { python3 -m json.tool $json $json.new && mv $json.new $json && commit && judges 0 " 0 failed"; }
check "how JSON is laid out does not matter" planted indented

# ---- Commits

sampled "a dirty commit" finds "measured on $measured-dirty" edit $json "s/$measured/&-dirty/"
sampled "a dirty commit in a log" finds "measured on $measured-dirty" edit $log "1s/$measured/&-dirty/"
sampled "no commit" finds "it names no commit" edit $json /commit/d
sampled "no known commit" finds "it names no one commit, but 'unknown'" edit bench/results/gpu.txt "s/$measured/unknown/"
sampled "a commit by another name" finds "it names no one commit, but 'HEAD'" edit bench/results/gpu.txt "s/$measured/HEAD/"
sampled "two commits" finds "it names no one commit, but '" edit $json '/commit/a\ "commit": "0123456",'
sampled "a commit that is not there" finds "commit 0123456789ab does not exist in this repository" edit $json "s/$measured/0123456789ab/"
aside() {
    git checkout -q -b aside && echo aside >src/a.c && commit && other=$(git rev-parse --short HEAD) && git checkout -q - &&
        edit $json "s/$measured/$other/"
}
sampled "a commit of another branch" finds "is not an ancestor of HEAD" aside
sampled "invalid JSON" finds "$json: it is not valid JSON" edit $json '$d'
check "a change that is not committed" eval 'planted edit src/a.c s/a/b/ && judges 1 "are committed:  M src/a.c"'
check "a file that is not committed" eval 'planted cp src/a.c src/b.c && judges 1 "are committed: ?? src/b.c"'
sampled "no results" finds "there are no results" rm -r bench/results

# ---- Results of older code: reported, and refused where they have to be of the present code

for file in src/a.c include/a.h bench/a.c; do
    check "$file has changed since" finds "all engines on a gpu: no report of today's code has rows gpu/house" edit $file 's/a/b/'
done
sampled "a new file in src" finds "older - $json: commit $measured; 1 measured files" cp src/a.c src/b.c
sampled "a log is as old as what is tested" \
    eval 'planted edit bench/a.c s/a/b/ && commit && judges 1 "older - $json" && ! grep "^older - $log" "$work/out"'
sampled "no log of today's code" finds "the tests on a GPU: no log" edit src/a.c 's/a/b/'
sampled "what is made of results may change" eval 'planted cp src/a.c src/api/choice_points.inc && commit && judges 0 " 0 failed"'
# renewed: the code changes, and all reports except one are measured again.
renewed() {
    cp bench/results/gpu.txt "$work/older.txt" && edit src/a.c 's/a/b/' && measured_again && cp "$work/older.txt" bench/results &&
        commit && judges 0 "older - bench/results/older.txt: commit $measured" && says " 0 failed" && ! grep "^older - $json" "$work/out"
}
check "an older report beside today's is named, and is not a failure" planted renewed
old_log() {
    sed '/^test_two/d' $log >"$work/old-tests.txt" && edit src/a.c 's/a/b/' && measured_again && cp "$work/old-tests.txt" bench/results &&
        commit && judges 0 "older - bench/results/old-tests.txt" && says " 0 failed"
}
check "an older log need not be whole" planted old_log

# ---- One report of all engines

sampled "no engine on a GPU" finds "no report of today's code has rows gpu/house" edit $json 's|gpu/house|gpu/home|'
sampled "no engine on a host" finds "no report of today's code has rows host/house" edit $json 's|host-2/house|host-2/home|'
sampled "an engine is missing" finds "gpu/house/slab/base/insert is missing" edit $json '\|gpu/house/slab/|d'
sampled "a row of one engine is missing" finds "host/house/slab/base/find-100 is missing" edit $json '\|host-2/house/slab/base/find-100|d'
sampled "an engine's row is wrong" finds "gpu/house/slab/base/insert is WRONG" edit $json '\|gpu/house/slab/base/insert|s/OK/WRONG/'
sampled "an engine was not measured" finds "slab is unavailable" edit $json '\|gpu/house/slab|s/OK/unavailable/'

# ---- Rows

lacks="row gpu/[a]/find: no report has it"
sampled "a row that was asked for and is in no report" finds "$lacks" edit $json 's|a\]/find|a]/erase|'
sampled "a row of another size" finds "$lacks" edit $json 's/, "asked": 1000000000.0//'
sampled "a row with wrong answers" finds "$lacks" edit $json '/asked/s/OK/WRONG/'
sampled "a row with wrong answers in a text report" finds "row gpu/[b]/find: no report has it" \
    edit bench/results/gpu.txt '$a\    WRONG gpu/[b]/find: 1 of 100 answers'
sampled "a row of another size in a text report" finds "row gpu/[b]/find: no report has it" edit bench/results/gpu.txt 's/1 met/-    /'
sampled "no row is asked for" finds "bench/targets.h: it asks for no row" edit bench/targets.h 's/TARGET/SOME/'

# ---- The log

sampled "a missing program" finds "test_two: it is not in the log" edit $log /^test_two/d
sampled "a missing engine" finds "test_two.slab: it is not in the log" edit $log /^test_two.slab/d
sampled "a new program" finds "test_four: it is not in the log" cp tests/test_one.c tests/test_four.c
sampled "a skipped test" finds "5 passed, 0 failed, 1 skipped" edit $log '/^test_two/s/0 skipped/1 skipped/'
sampled "a failed test" finds "5 passed, 1 failed" edit $log '/^test_two/s/0 failed/1 failed/'
sampled "no test" finds "test_two: exit 0, 0 s, 0 passed" edit $log '/^test_two/s/[0-9]* s, 5 /0 s, 0 /'
sampled "a program that failed" finds "test_two: exit 1" edit $log '/^test_two/s/exit 0/exit 1/'
sampled "a program that failed once" finds "test_two: exit 1" edit $log '/^test_two/{p;s/exit 0/exit 1/}'
sampled "skipped tests are not told" finds "test_two: exit 0" edit $log 's/, 0 skipped//'
sampled "a command that failed" finds "roost replay, slab: roost replay slab: exit 1" eval 'export ROOST_EXIT=1; relog; unset ROOST_EXIT'
sampled "unverified answers of the command" finds "roost count, dycuckoo: roost count dycuckoo: exit 0, 0 s, 0 verified" \
    edit $log '/^roost count dycuckoo/s/[0-9]* s, 1/0 s, 0/'
sampled "a command that did not run" finds "roost count, slab: it is not in the log" edit $log '/^roost count slab/d'
sampled "an error of memcheck" finds "memcheck, dycuckoo: memcheck dycuckoo 20000 0 'slots=16'" edit $log "/^memcheck dycuckoo 20000 0 'slots/s/0 errors/1 errors/"
sampled "an error in another engine" finds "initcheck, slab: initcheck slab test_multi" edit $log "/^initcheck slab test_multi/s/0 errors/1 errors/"
sampled "a hazard of racecheck" finds "racecheck, slab: racecheck slab 5000 1 ''" edit $log "/^racecheck slab 5000 1 ''/s/0 errors/1 errors/"
sampled "no run of racecheck" finds "racecheck, slab: it is not in the log" edit $log '/^racecheck slab/d'
new_engine() { cp -r src/engines/slab src/engines/third && measured_again; }
sampled "a new engine" finds "memcheck, third: it is not in the log" new_engine
sampled "a new engine is in no report" finds "gpu/house/third/base/insert is missing" new_engine
sampled "a scenario that failed" finds "memcheck, slab: memcheck slab 20000 1 ''" edit $log "/^memcheck slab 20000 1 ''/s/exit 0/exit 1/"
sampled "a missed fault" finds "planted racecheck: MISSED" edit $log 's/^planted racecheck: FOUND.*/planted racecheck: MISSED/'
sampled "no planted fault" finds "memcheck's planted fault: it is not in the log" edit $log '/^planted memcheck/d'
sampled "no third tool" finds "synccheck's planted fault: it is not in the log" edit $log '/synccheck/d'
h100() { edit $log 's/NVIDIA H200/NVIDIA H100 80GB HBM3/' && commit && judges 0 " 0 failed"; }
check "a log of an H100" planted h100
sizes() { # CARD: a program test_sizes that skipped a case there
    cp tests/test_one.c tests/test_sizes.c
    for line in $(tests/device-programs | grep ^test_sizes); do echo "$line: exit 0, 9 s, 18 passed, 0 failed, 1 skipped" >>$log; done
    sed -i "s/NVIDIA H200/$1/" $log
}
sampled "the largest tables, on an H100" eval 'planted sizes "NVIDIA H100" && commit && judges 0 " 0 failed"'
sampled "the largest tables, on an H200" finds "18 passed, 0 failed, 1 skipped" sizes "NVIDIA H200"
sampled "a log of another GPU" finds "the tests on a GPU: no log" edit $log '1s/NVIDIA H200/NVIDIA A100/'
sampled "no log" finds "the tests on a GPU: no log" rm $log

# ---- Logs of faulty programs and tools: tests/device-log reports the fault, and its log is refused

# logs_fault TEXT VARIABLE=VALUE: the fault with this variable in the programs' environment.
logs_fault() (
    export "${2?}"
    planted relog && judges 1 "$1" && ! write_log >/dev/null
)
sampled "device-log: a program fails" logs_fault "test_one: exit 1" EXIT=1
sampled "device-log: a test is skipped" logs_fault "5 passed, 0 failed, 2 skipped" SKIPPED=2
sampled "device-log: no test runs" logs_fault "0 passed, 0 failed" PASSED=0
sampled "device-log: a sanitizer finds something" logs_fault ", 4 errors" ERRORS=4
sampled "device-log: a sanitizer misses its fault" logs_fault "planted memcheck: MISSED" FOUND=no
sizes_skipped() { # CARD: tests/device-log with a test_sizes that skips a case there
    cp tests/test_one.c tests/test_sizes.c
    cp "$binaries/test_one" "$binaries/test_sizes"
    sed -i '2i SKIPPED=1' "$binaries/test_sizes"
    GPU=$1 write_log programs >/dev/null
    code=$?
    rm "$binaries/test_sizes"
    return $code
}
check "device-log: the largest tables, on an H100" planted sizes_skipped "NVIDIA H100"
check "device-log: the largest tables, on an H200" eval '! planted sizes_skipped "NVIDIA H200"'
GPU="NVIDIA A100"
export GPU
check "device-log: another GPU" eval 'planted relog && judges 1 "no log *-tests.txt of today's code"'
unset GPU
sampled "device-log: one tool of four" eval 'planted relog memcheck && commit && judges 1 "racecheck, slab: it is not in the log"'
sampled "device-log: no programs" eval 'planted relog memcheck racecheck synccheck initcheck && commit && judges 1 "test_one: it is not in the log"'

# add_log PART...: appends parts to the log.
add_log() { write_log "$@" >>$log && git add . && commit; }
check "device-log: a log in two parts" eval 'planted relog programs racecheck && add_log memcheck synccheck initcheck && judges 0 "ok"'
check "device-log: parts of several commits" eval \
    'planted relog programs racecheck && sed -i "1s/$measured/0123456/" $log && add_log memcheck synccheck initcheck && judges 1 "names no one commit"'
GPU="NVIDIA A100"
export GPU
check "device-log: parts of several GPUs" eval 'planted relog programs && unset GPU && add_log memcheck racecheck synccheck initcheck && judges 1 "no log *-tests.txt of today's code"'
unset GPU

# ---- tests/device-log goes on from where it stopped

# more [PART...]: write_more of two parts, if none is named, which suffice here.
more() { [ $# -gt 0 ] || set -- programs memcheck; write_more "$@"; }
# timeless FILE: its lines without their times, in order of the alphabet.
timeless() { sed 's/, [0-9]* s,/,/' "$1" | sort; }
# same_log: goes on, exits with 0, and prints the lines of $work/whole.
same_log() { more >"$work/more" && timeless "$work/whole" >"$work/whole.sorted" && timeless "$work/more" | diff "$work/whole.sorted" -; }
ran() { [ "$(wc -l <"$RAN")" = "$1" ] || { cat "$RAN"; return 1; }; }
RAN=$work/ran
export RAN
whole_log() { : >"$RAN" && rm -f "$passed" && more >"$work/whole" && ran 12; }
check "device-log: programs run for each engine" planted whole_log
check "device-log: what passed is printed again, and does not run" eval 'planted same_log && ran 12'
check "device-log: a part of it, too" eval 'planted more memcheck | grep -c "^memcheck slab" | grep -qx 13 && ran 12'
check "device-log: it all runs again for another commit" eval 'planted true && echo 0123456 >"$binaries/commit" && more >/dev/null && ran 24'
check "device-log: and for another sample" eval 'planted true && SAMPLE=2 ROOST_LOG_SAMPLE=2 more >/dev/null && ran 36'
dirty() { echo "$measured-dirty" >"$binaries/commit" && more programs >/dev/null && more programs >/dev/null && ran 60; }
check "device-log: and for each run with changes that are not committed" planted dirty
echo "$measured" >"$binaries/commit"
repaired() { : >"$RAN" && rm -f "$passed" && ! EXIT=1 more >/dev/null && ran 12 && same_log && ran 24 && same_log && ran 24; }
check "device-log: what failed runs again" planted repaired
stopped() {
    : >"$RAN" && rm -f "$passed" && ROOST_LOG_SECONDS=0 more >"$work/more"
    [ $? = 75 ] && ran 0 && [ "$(wc -l <"$work/more")" = 2 ] && same_log && ran 12
}
check "device-log: time is up, and the next run does the rest" planted stopped
failed_late() {
    rm -f "$passed" && EXIT=1 more programs >/dev/null && return 1
    EXIT=1 ROOST_LOG_SECONDS=0 more programs >/dev/null
    [ $? = 75 ]
}
check "device-log: steps that failed are left, too" planted failed_late
# meeting: runs programs that wait for each other.
meeting() { export MEETING="$work/meeting" && rm -rf "$MEETING" "$passed" && mkdir "$MEETING" && more programs >/dev/null; }
check "device-log: two programs at a time" eval '(planted meeting)'
check "device-log: one, if so asked" eval '! (export ROOST_LOG_JOBS=1 ROOST_LOG_PROGRAMS="test_one$" && planted meeting)'
check "device-log: a number that is none" eval 'planted true && ! ROOST_LOG_SECONDS=soon more'
check "run device-log: builds nothing" eval 'planted cp "$ROOST_SOURCE_DIR/run" . && ./run device-log "$binaries" cuda:0 programs >"$work/more" && [ ! -e build ]'
unset RAN

# ---- Where the commits cannot be looked up

check "a shallow clone" eval 'git clone -q --depth 1 "file://$work/sound" "$work/shallow" && cd "$work/shallow" && judges 1 "is shallow"'
check "no repository" eval 'planted rm -rf .git && judges 1 "no git repository here"'
check "another repository around it" eval 'cd "$work" && git init -q . && planted rm -rf .git && judges 1 "not the top of the git repository"'
exit $failed
