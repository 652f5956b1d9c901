#!/bin/sh
# Every file operation and allocation of the command fails once: the k-th of each kind, for k = 1,
# 2, ... until there is none.  The command then either does all that was asked, or exits 1 with one
# line that names the file or the refused request.  On failure each of its output files is as it was
# before, and nothing else is left.  Under the address sanitizer nothing leaks either.
# Only long runs (ROOST_TEST_LONG=1) take every allocation.  Others take the first 20, and then
# every third, short runs every sixth.
# Runs on the host with one thread, so that k means the same in every run.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
faults=${ROOST_BUILD_DIR:?}/tests/libroost-faults.so
case ${ROOST_SANITIZE:-} in *thread*) exit 77 ;; esac # its allocator cannot be behind another one
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0:exitcode=99"
left_out=2 # allocations after each one that fails
[ "${ROOST_TEST_SHORT:-0}" = 0 ] || left_out=5
[ "${ROOST_TEST_LONG:-0}" = 0 ] || left_out=0
kinds="open look read interrupted brief write seek close mode sync rename spawn wait allocate map"

# ---- Inputs, and a gnuplot that prints its script
# It leaves out the state of a table, which differs if the table was refused memory.

cd "$work" || exit 1
mkdir programs out before all
printf 'old\n' >before/list.tsv
printf 'old\n' >before/new.roost
printf 'roost profile 1\ndevice host\nslab 4+4 memory=light\n' >before/host.profile
cat >programs/gnuplot <<'END'
#!/bin/sh
[ "$1" = --version ] || exec sed -E -e 's/^([0-9.]+) [0-9.]+ [0-9.e+]+$/\1/' -e '/y2range/d'
END
chmod +x programs/gnuplot
PATH=$work/programs:$PATH
accented=$(printf 'g\303\251nome.fna.gz')
# Longer than what is decoded at a time, and mostly unknown bases: these give no keys to count and
# verify in each of 300 runs.
{
    gzip -dc "$genome" | head -c 10000
    awk 'BEGIN { for (i = 0; i < 2000; i++) print "NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN" }'
    gzip -dc "$genome" | head -c 40000 | tail -c 10000
} | gzip -1 >"$accented"
awk 'BEGIN { for (i = 0; i < 400; i++) printf "a\t%d\n", i * 7919 % 251 }' >keys.tsv
tail -c 12000 "$genome" >words.bin
awk 'BEGIN { for (i = 0; i < 300; i++) print i * 37, i % 9, 0, i }' >blocks.arc
printf 'to be,or not\nto,be\ntwo,"be ""or"" not\nto be"\n' | gzip -1 >words.csv.gz
printf '@a\nGATTACA\nGATTACA\n+\n@IIIIII\n+IIIIII\n@b\nACGTNACGTTGCA\n+\nIIIIIIIIIIIII\n' | bzip2 -1 >reads.fq.bz2
awk 'BEGIN { for (i = 0; i < 300; i++) printf "20%02d-0%d-1%d\n", i % 7, 1 + i % 9, i % 3 }' | xz >days.csv.xz
awk 'BEGIN { for (i = 0; i < 300; i++) printf "word%d%s", i * i % 41, i % 5 ? " " : "\n" }' >words.txt
printf '\223NUMPY\001\000\066\000%s\nabcdefghabcdijkl' "{'descr':'<u4','fortran_order':False,'shape':(4,), } " >words.npy
# A frame of one raw block; each has its length, of 97 bytes.
{
    printf '\050\265\057\375\040\141\011\003\000key,n\n'
    awk 'BEGIN { for (i = 0; i < 13; i++) printf "%d,22\n", 100 + i % 5 }'
} >pairs.csv.zst

# ---- One run

# A snapshot has numbers that are drawn.  Its pairs take its place, to be compared.
read_snapshot() {
    [ -e out/new.roost ] && "$roost" dump --device host --sort out/new.roost >pairs 2>/dev/null && mv pairs out/new.roost
    return 0
}

# run ARGUMENT...: the command with its outputs into out/ and its input from words.npy; $code is its
# exit code.
run() {
    timeout 60 "$roost" "$@" >got 2>err <words.npy
    code=$?
    read_snapshot
}

# run_with KIND:K ARGUMENT...: the same with this fault.
run_with() {
    rm -f note
    fault=$1
    shift
    timeout 60 env ROOST_FAULT="$fault" ROOST_FAULT_NOTE=note LD_PRELOAD="$faults" "$roost" "$@" >got 2>err <words.npy
    code=$?
    read_snapshot
}

# Prints a report without its times, and without numbers that differ in a table that was refused
# memory.
lasting() {
    sed -E -e '/^(rate|load factor|table bytes|growth|resizing)/d' -e 's/^((insert|find|erase) .*) +[0-9.]+ +[0-9.]+$/\1/' \
        -e '/"(.*seconds?|.*load_factor|.*bytes.*|.*growth.*|objective_ns|load|slots|shrinks.*|rehashed|evicted)":/d' "$1"
}

same_files() { diff -r "$1" out >/dev/null; }

restore() {
    [ -z "$kept" ] || return 0
    rm -f out/*
    cp before/* out/
}

# One line, which names a file of the command or a refused request.
says_why() {
    [ "$(wc -l <err)" = 1 ] && grep -qE "^roost[a-z ]*: .*($1|memory|standard output|gnuplot)" err
}

# Set if the last run is known to have left the outputs as they were before.
kept=

# The files that are right after a failure: as before; complete if only the report is missing; old
# and new ones between two renames, each of which is followed by a sync of the folder.
files_after_failure() {
    same_files before && kept=yes && return 0
    grep -qE 'standard output|for the JSON' err && same_files all && return 0
    case $1 in rename:* | sync:*) ;; *) return 1 ;; esac
    for file in out/*; do
        cmp -s "$file" "before/${file#out/}" || cmp -s "$file" "all/${file#out/}" || return 1
    done
}

# judge KIND:K: checks the last run.
judge() {
    kept=
    if [ $code = 0 ]; then
        [ ! -s err ] && lasting got | cmp -s - report && same_files all && return 0
    elif [ $code = 1 ]; then
        case $1 in brief:* | wait:*) return 1 ;; esac # these are no failures
        says_why "$names" && files_after_failure "$1" && return 0
    fi
    return 1
}

# ---- All faults of one command line

# reference ARGUMENT...: keeps the results of the command without a fault.
reference() {
    restore
    run "$@"
    rm -f all/*
    cp out/* all/
    lasting got >report
    [ $code = 0 ] && [ ! -s err ] && [ -s report ]
}

# every_fault NAMES ARGUMENT...: NAMES is a regular expression of the files that a line may name.
every_fault() {
    names=$1
    shift
    reference "$@" || { cat err; return 1; }
    wrong=0
    last=
    for kind in $kinds; do
        k=0
        while :; do
            k=$((k + 1))
            [ "$kind" != allocate ] || [ $k -le 20 ] || k=$((k + left_out))
            restore
            run_with "$kind:$k" "$@"
            [ -e note ] || break
            judge "$kind:$k" && continue
            echo "$kind $k: exit $code"
            cat err
            lasting got | diff report - | head -n 5
            diff -rq before out
            wrong=$((wrong + 1))
            [ $wrong -lt 20 ] || return 1
        done
        judge "$kind:0" || { echo "$kind, no fault: exit $code"; return 1; }
        last="$last $kind $((k - 1)),"
    done
    echo "$1: last k:${last%,}"
    [ $wrong = 0 ]
}

sampled "count of a tsv file into a list" every_fault "keys.tsv|list.tsv" \
    count --device host --threads 1 --seed 5 --column 2 --top 3 --batch 150 --output out/list.tsv keys.tsv
sampled "count of a gzip file, JSON, verified, with all outputs" every_fault "$accented|list.tsv|spectrum.svg|fill.svg" \
    count --device host --threads 1 --seed 5 --capacity 16384 --kmer 7 --json --verify --top 2 --output out/list.tsv \
    --histogram out/spectrum.svg --plot out/fill.svg "$accented"
sampled "count of two Zstandard files, verified" every_fault "pairs.csv.zst" \
    count --device host --threads 1 --seed 5 --column key --verify --count-bits 64 pairs.csv.zst pairs.csv.zst
sampled "count of a column of strings, JSON, verified, with its list" every_fault "words.csv.gz|list.tsv" \
    count --device host --threads 1 --seed 5 --column 2 --as string --json --verify --top 2 --output out/list.tsv words.csv.gz
sampled "count of FASTQ into compressed csv and numbers" every_fault "reads.fq.bz2|list.csv.gz|spectrum.tsv" \
    count --device host --threads 1 --seed 5 --kmer 7 --verify --output out/list.csv.gz --histogram out/spectrum.tsv reads.fq.bz2
sampled "count of dates into compressed JSON lines" every_fault "days.csv.xz|list.jsonl.zst" \
    count --device host --threads 1 --seed 5 --column 1 --as date --verify --output out/list.jsonl.zst days.csv.xz
"$roost" count --device host --column 2 -q --save counts.roost keys.tsv || exit 1
sampled "count into a snapshot" every_fault "keys.tsv|new.roost" \
    count --device host --threads 1 --seed 5 --column 2 --top 3 --save out/new.roost keys.tsv
sampled "dump of a snapshot, sorted" every_fault "counts.roost|-:" dump --device host --threads 1 --seed 5 --sort counts.roost
sampled "query of a snapshot" every_fault "counts.roost|-:" query --device host --threads 1 --seed 5 counts.roost 7 8 9
sampled "merge of snapshots" every_fault "counts.roost|new.roost" \
    merge --device host --threads 1 --seed 5 --output out/new.roost counts.roost counts.roost
sampled "count of words, verified" every_fault "words.txt" count --device host --threads 1 --seed 5 --words --verify --batch 100 --top 1 words.txt
sampled "replay of words, verified" every_fault "words.txt" replay --device host --threads 1 --seed 5 --words --verify --batch 100 words.txt
sampled "replay of binary keys of 24 bytes, verified" every_fault "words.bin" \
    replay --device host --threads 1 --seed 5 --format bytes:24 --verify --batch 200 words.bin
sampled "count of standard input" every_fault "-:" count --device host --threads 1 --seed 5 --format npy --json -
sampled "count of binary integers into a list, verified" every_fault "words.bin|list.tsv" \
    count --device host --threads 1 --seed 5 --capacity 4096 --format u32le --verify --output out/list.tsv words.bin
sampled "replay of a trace, JSON, verified, with its picture" every_fault "blocks.arc|fill.svg" \
    replay --device host --threads 1 --seed 5 --format arc --batch 400 --json --verify --plot out/fill.svg blocks.arc
sampled "replay of a tsv file" every_fault "keys.tsv" replay --device host --threads 1 --seed 5 --column 2 --batch 100 keys.tsv
sampled "tune into a profile" every_fault "host.profile" tune --engine gph --device host --threads 1 --seed 5 --keys 2000 --budget 0 --random 0 \
    --json --output out/host.profile
# Only without the CUDA runtime: it looks for GPUs, and does not survive a refused allocation.
if ! grep -q '^CMAKE_CUDA_COMPILER:' "$ROOST_BUILD_DIR/CMakeCache.txt"; then
    sampled "info" every_fault roost info
    sampled "info as JSON" every_fault roost info --json
fi

exit $failed
