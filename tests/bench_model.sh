#!/bin/sh
# bench/model-fit computes the r of files with a known r, and refuses files that bench/model would
# not write.  bench/model makes such a file from the output of roost-bench and ncu, for which
# scripts stand in here, and says what is missing if it cannot.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
cd "$ROOST_SOURCE_DIR" || exit 1
tools=$work/tools
mkdir "$tools"
PATH=$tools:$PATH

# script NAME: a tool with these lines from stdin.
script() {
    { echo '#!/bin/sh' && cat; } >"$tools/$1" && chmod +x "$tools/$1"
}

# ---- The fit

titles=engine,fill,hits,seconds,sm__warps_active.avg.pct_of_peak_sustained_active,smsp__inst_executed.sum
titles=$titles,smsp__average_warps_active_per_inst_executed.ratio,gpu__time_duration.sum
file=$work/counters.csv

# counters: a file from lines "engine time AO EI CPI" on stdin, in ms, % and 10^9 instructions.  A
# sixth field is the profiler's time.
counters() {
    echo "# Counters of lookup kernels, commit 0123456"
    echo "$titles"
    awk '{ print $1 ",0.5,100," 1e-3 * $2 "," $3 "," $4 "e9," $5 "," 1e6 * (NF > 5 ? $6 : $2) }'
}

# fits CODE TEXT: fits the file from stdin.
fits() {
    cat >"$file" && ends "$1" "$2" bench/model-fit "$file"
}

paper() { printf '%s\n' 'warpcore 45.31 70.89 9.36 22.58' 'dycuckoo 88.10 86.87 18.69 24.78' 'cudpp 55.18 92.37 0.73 445.38' 'gph 22.93 98.24 6.43 23.16'; }
linear() { printf '%s\n' 'a 2 50 1 5' 'a 6 25 3 2.5' 'a 10 100 10 5' 'b 7 80 4 7' 'b 1 100 0.5 10'; }
noisy() { printf '%s\n' 'a 2 100 1 1' 'a 4 100 2 1' 'a 5 100 3 1' 'b 4 100 4 1' 'b 5 100 5 1'; }
check "the paper's Table 2: its r" eval 'paper | counters | fits 0 "r = 0.9993 over 4 kernels: time*AO and EI*CPI"'
check "the paper's Table 2: the r of Equation (1)" eval 'paper | counters | fits 0 "r = 0.9987 over 4 kernels: time and EI*CPI/AO"'
check "proportional" eval 'linear | counters | fits 0 "a: r = 1.0000 over 3 kernels"'
check "the largest deviation" eval 'printf "%s\n" "a 8 100 1 10" "a 22 100 2 10" "a 33 100 3 10" | counters | fits 0 "within 20.0 % of its mean"'
check "r by hand: 6 / sqrt(10 * 6)" eval 'noisy | counters | fits 0 "r = 0.7746 over 5 kernels: time and EI*CPI/AO"'
check "r of one engine by hand: 3 / sqrt(2 * 14 / 3)" eval 'noisy | counters | fits 0 "a: r = 0.9820 over 3 kernels"'
check "one engine between others" eval '{ echo "b 9 100 7 1" && noisy; } | counters | fits 0 "a: r = 0.9820 over 3 kernels"'
check "too few kernels of one engine" eval 'noisy | counters | fits 0 "b: no r of fewer than three kernels"'
check "falling times" eval 'printf "%s\n" "a 3 100 1 1" "a 2 100 2 1" "a 1 100 3 1" | counters | fits 0 "r = -1.0000 over 3 kernels"'
check "times that do not vary" eval 'printf "%s\n" "a 3 100 1 1" "a 3 100 2 1" "a 3 100 3 1" | counters | fits 0 "no r (what does not vary has none) over 3"'
own() { paper | awk '{ print $1, NR, $3, $4, $5, $2 }'; }
check "by the profiler's times: the paper's r" eval 'own | counters | fits 0 "has 0.9993; by the profiler'\''s times 0.9993"'
check "by the profiler's times: the r of Equation (1)" eval 'own | counters | fits 0 "EI*CPI/AO; by the profiler'\''s times 0.9987"'
check "by the profiler's times: the r of one engine" eval 'noisy | awk "{ print \$1, NR, \$3, \$4, \$5, \$2 }" | counters |
    fits 0 "a: r = 1.0000 over 3 kernels; by the profiler'\''s times 0.9820"'
check "the profiler's times do not vary" eval 'noisy | sed "s/\$/ 7/" | counters | fits 0 "r = 0.7746 over 5 kernels: time and EI*CPI/AO; by the profiler'\''s times none"'
check "columns in another order" eval 'noisy | counters | awk -F , -v OFS=, "!/^#/ { t = \$1; \$1 = \$4; \$4 = t } { print }" | fits 0 "r = 0.7746"'

check "an empty file" eval ': | fits 1 "0 kernels: no r"'
check "two kernels" eval 'noisy | head -n 2 | counters | fits 1 ":4: 2 kernels: no r of fewer than three"'
check "no header" eval 'noisy | counters | sed 2d | fits 1 ":2: no column engine"'
check "a missing column" eval 'noisy | counters | sed "2s/seconds/minutes/" | fits 1 ":3: no column seconds"'
check "a short line" eval 'noisy | counters | sed "4s/,[^,]*\$//" | fits 1 ":4: 7 fields instead of 8"'
for word in '' x nan inf -1 0x10 '1 2' 1e; do
    check "\"$word\" for a number" eval 'noisy | counters | sed "4s/,0.5,/,$word,/" | fits 1 ":4: \"$word\" is not a number for fill"'
done
check "a zero" eval 'noisy | sed "s/^b 4/b 0/" | counters | fits 1 ":6: 0 for seconds"'
check "more than all" eval 'noisy | sed "s/ 100 3/ 101 3/" | counters | fits 1 ":5: 101 % for sm__warps_active"'
check "no active warp" eval 'noisy | sed "s/ 100 3/ 0 3/" | counters | fits 1 ":5: no warp was active"'
check "an engine that is a command" eval 'noisy | sed "s/^b/a\"\`ls\`/" | counters | fits 1 "is not an engine"'
check "no file" ends 2 usage: bench/model-fit "$work/none.csv"
check "another option" ends 2 usage: bench/model-fit "$file" --draw "$work/a.svg"

# ---- The picture

if command -v gnuplot >/dev/null; then
    picture=$work/model.svg
    paper | counters >"$file"
    check "a picture" eval 'bench/model-fit "$file" --plot "$picture" >"$work/out" 2>"$work/err" && grep -q "</svg>" "$picture"'
    check "it names every engine" eval 'for engine in warpcore dycuckoo cudpp gph; do grep -q ">$engine<" "$picture" || exit 1; done'
    check "its first line says what it is" eval 'head -n 1 "$picture" | grep -qxF "<!-- Time of lookups against the performance model, drawn by bench/model-fit from $file. -->"'
    check "and nothing is before that" eval '! grep -q "<?xml" "$picture"'
    check "drawn again it is the same" eval 'bench/model-fit "$file" --plot "$work/again.svg" >"$work/out" 2>&1 && cmp "$picture" "$work/again.svg"'
    cp "$file" "$work/a--b---c.csv"
    check "no -- in its comment" eval 'bench/model-fit "$work/a--b---c.csv" --plot "$picture" >"$work/out" 2>&1 && head -n 1 "$picture" | grep -q "/a-b-c.csv. -->"'
    for fault in 'echo "<svg"; exit 1' 'exit 0'; do
        echo "$fault" | script gnuplot
        check "a faulty gnuplot: $fault" ends 1 "r = 0.9993" bench/model-fit "$file" --plot "$work/none.svg"
        check "and leaves no picture" [ ! -e "$work/none.svg" ]
    done
fi
echo 'echo "<svg></svg>"' | script gnuplot

# ---- The measurement, and the stand-ins for its tools

# A report of three finds: each level of fill takes a tenth of a millisecond longer, and so does
# each miss.
script roost-bench <<'END'
while [ $# -gt 0 ]; do
    case $1 in
    --json) json=$2 ;;
    --engine) engine=$2 ;;
    --load) load=$2 ;;
    --only) group=${2%/find-} ;;
    esac
    shift
done
[ "$engine $load" != "${BREAKS:-}" ] || { echo "no such thing"; exit 1; }
state=OK
[ "$engine $load" != "${WRONG:-}" ] || state=WRONG
{
    printf '{\n "commit": "0123456789ab",\n "gpu": {\n  "name": "NVIDIA H200",\n  "driver": "580.1"\n },\n "rows": [\n'
    for hits in 100 50 0; do
        printf '  {\n   "row": "%s/find-%d",\n   "state": "%s",\n   "note": "a word",\n   "rate": 1e11,\n' "$group" $hits $state
        printf '   "rate_is": "operations/s",\n   "items": %d,\n   "load_factor": %s,\n   "seconds": [\n    1\n   ]\n  },\n' $((200000000 + 1000000 * hits)) "$load"
    done
    printf '  {\n   "row": "%s/find-erased",\n   "state": "OK",\n   "rate": 7,\n   "items": 7\n  }\n ]\n}\n' "$group"
} >"$json"
END
script ncu <<'END'
[ "$1" != --version ] || { echo "Nsight"; echo "Version 2026.1"; exit 0; }
while :; do
    case $1 in
    --csv) shift ;;
    --metrics) metrics=$2; shift 2 ;;
    --log-file) log=$2; shift 2 ;;
    --*) shift 2 ;;
    *) break ;;
    esac
done
"$@" || exit 1
{
    echo "==PROF== Connected to process 1"
    [ -z "${REFUSED:-}" ] || { echo "==ERROR== ERR_NVGPUCTRPERM - no permission"; exit 1; }
    echo '"ID","Process ID","Kernel Name","Block Size","Section Name","Metric Name","Metric Unit","Metric Value"'
    for id in ${KERNELS:-0 1 2}; do
        for metric in $(echo "$metrics" | tr , ' '); do
            case $id,$metric in
            1,sm__warps*) set -- % "${OCCUPANCY:-50.5}" ;;
            *,sm__warps*) set -- % 50.5 ;;
            *,gpu__time*) set -- "${UNIT:-ns}" "$((3000 - 500 * id)),000" ;;
            *,smsp__inst*) set -- inst "$((60 - 10 * id)),000,000" ;;
            *) set -- cycle 22.5 ;;
            esac
            echo "\"$id\",\"1\",\"find_k4v4(args, \"int\")\",\"(256, 1, 1)\",\"Command line\",\"$metric\",\"$1\",\"$2\""
        done
    done
} >"$log"
END
echo 'echo "${GPU:-NVIDIA H200}"' | script nvidia-smi

# measures CODE TEXT [OPTION...]: measures into an empty folder.
measures() {
    rm -rf "$work/model"
    code=$1 text=$2
    shift 2
    ends "$code" "$text" bench/model "$tools/roost-bench" --out "$work/model" "$@"
}
result() { cat "$work"/model/h200-*-model.csv; }
has() { result | grep -qxF -- "$1" || { result; return 1; }; }

check "all engines" measures 0 "r = 1.0000 over 90 kernels: time and EI*CPI/AO"
check "their kernels" eval '[ "$(result | grep -c ",find_k4v4,")" = 90 ]'
check "the first line has GPU and commit" eval 'result | head -n 1 | grep -q "NVIDIA H200, driver 580.1, [0-9-]*, commit 0123456789ab$"'
check "a line of a find" has "gph,slots=16 keys=6,0.9,0.9,50,find_k4v4,250000000,0.0025,50.5,50000000,22.5,2500000,22.5,22.5"
check "slab by its utilisation" has "slab,utilisation=0.5,0.5,0.8,0,find_k4v4,200000000,0.002,50.5,40000000,22.5,2000000,22.5,22.5"
check "a picture of them" eval 'grep -q svg "$work"/model/h200-*-model.svg'
check "one engine" eval 'measures 0 "over 15 kernels" --engine gph && ! result | grep -q ^slab'

# faulty TEXT VARIABLE=VALUE: one engine, or all, cannot be measured.
faulty() (
    export "${2?}"
    measures 1 "$1" --engine gph
)
check "a table that cannot be made" faulty "model/gph-0.7.log ends with: no such thing" "BREAKS=gph 0.7"
check "the others are there" eval '[ "$(result | grep -c ^gph)" = 12 ]'
check "what an earlier run left is not taken" eval 'BREAKS="gph 0.8" ends 1 "gph-0.8.log ends with: no such thing" bench/model "$tools/roost-bench" --out "$work/model" --engine gph'
check "a wrong answer" faulty "gph at 0.6: gpu/4+4/find-0: WRONG: a word" "WRONG=gph 0.6"
check "a kernel too many" faulty "3 finds, but 4 kernels were profiled" "KERNELS=0 1 2 3"
check "no kernels" faulty "nothing was measured" "KERNELS= "
check "a counter that is not there" faulty "ncu has no sm__warps_active.avg.pct_of_peak_sustained_active of find_k4v4" "OCCUPANCY=n/a"
check "nothing of such a table is kept" [ ! -s "$work/model/rows" ]
check "another unit" faulty "a time in ms" UNIT=ms

# lacks TEXT VARIABLE=VALUE: the machine cannot measure.
lacks() (
    export "${2?}"
    measures 77 "$1"
)
check "counters that are refused" lacks "ncu may not read the GPU's counters here" REFUSED=1
rm "$tools/ncu"
[ -x /usr/local/cuda/bin/ncu ] || command -v ncu >/dev/null || check "no ncu" measures 77 "ncu (NVIDIA Nsight Compute) is not installed"
echo 'exit 9' | script nvidia-smi
check "no GPU" measures 77 "this machine has no GPU cuda:1" --device cuda:1
check "the host is no GPU" measures 2 "'host' is not a GPU" --device host
check "no benchmark" ends 2 usage: bench/model "$work/none"
check "another option" measures 2 usage: --fast yes
check "an option without its value" measures 2 usage: --keys
exit $failed
