#!/bin/sh
# `roost count` and `roost replay` over the processes of an MPI job, and over several devices: the
# output is that of one process, whatever the files are; a job whose rank dies ends, and changes no
# file.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
cd "$work" || exit 1
unset device
zcat "$genome" | head -c 700000 >genome.fna
printf 'name,count\n' >quoted.csv
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "\"a\n%d\",%d\n", i, i * i % 977 }' >>quoted.csv
awk 'BEGIN { for (i = 0; i < 30000; i++) print i * 7919 % 1009 "\t" i }' >plain.tsv
head -c 400000 genome.fna >raw.bin
gzip -kf plain.tsv

# ---- Several devices of a process

devices() {
    "$roost" count --device host --kmer 21 -q --output one.csv genome.fna >/dev/null &&
        "$roost" count --device host,host,host --kmer 21 -q --output several.csv genome.fna >/dev/null || return 1
    sort one.csv >a && sort several.csv >b && cmp a b
}
check "three devices count as one" devices
all_devices() {
    "$roost" count --device all --column 1 --json plain.tsv >out || return 1
    grep -q '"distinct": 1009' out
}
check "--device all" all_devices

# Prints what a replay says of its work apart from the time and the sizes of tables.
answers() { grep -E '"(new|found|erased|items|count|total|batch|batches|verified)":' "$1" | tr -d ' \n'; }
replay_devices() {
    "$roost" replay --device host --kmer 21 --batch 50000 --verify --json genome.fna >one.json &&
        "$roost" replay --device host,host,host --kmer 21 --batch 50000 --verify --json genome.fna >several.json || return 1
    answers one.json >a && answers several.json >b && cmp a b
}
check "a replay on three devices is that on one" replay_devices

# One table that lies on several devices, as one snapshot.
saved_devices() {
    "$roost" count --device host,host,host --kmer 21 -q --save several.roost genome.fna &&
        "$roost" dump --device host several.roost --sort -o several.csv && cmp several.csv one.csv
}
check "three devices are saved, and loaded as one" saved_devices

# ---- Processes

command -v mpirun >/dev/null && ldd "$roost" | grep -q libmpi || { [ $failed = 0 ] && exit 0; exit 1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI on one machine, without ssh and without reading another process's memory.
export OMPI_MCA_plm=isolated OMPI_MCA_btl_vader_single_copy_mechanism=none
ranks_of() {
    ranks=$1
    shift
    timeout 100 mpirun --oversubscribe --bind-to none -n "$ranks" "$@"
}
job() {
    ranks=$1
    shift
    ranks_of "$ranks" "$roost" count --device host -q "$@"
}

# tried TEXT: prints the numbers of ranks to try: all, or in a sample one, by the length of the text.
tried() {
    [ -n "${ROOST_TEST_SAMPLE:-}" ] || { echo 2 3 8; return; }
    case $((${#1} % 3)) in 0) echo 2 ;; 1) echo 3 ;; *) echo 8 ;; esac
}

# same OPTION...: counts in one process and in several; the lists, the most frequent keys and the
# numbers of keys are the same.
same() {
    "$roost" count --device host -q --top 7 --output one.csv --histogram one.svg "$@" >one.out || return 1
    for ranks in $(tried "$*"); do
        job $ranks --top 7 --output many.csv --histogram many.svg "$@" >many.out 2>many.err || { cat many.out many.err; return 1; }
        cmp one.csv many.csv && cmp one.out many.out && cmp one.svg many.svg || { echo "$ranks ranks differ"; return 1; }
    done
}
check "k-mers across the cut of two parts" same --kmer 21 genome.fna
awk '!/>/ { print "@" NR "\n" $0 "\n+"; gsub("[ACGT]", "@"); print }' genome.fna >reads.fq
check "FASTQ, which one rank reads" same --kmer 21 reads.fq
check "lines that end in quotes" same --column count quoted.csv
check "a column of a tsv" same --column 1 --batch 1000 plain.tsv
awk '{ print NR % 1000 == 7 ? "x" : $1 - 500 }' plain.tsv >holes.tsv
check "signed numbers, and records without a key" same --column 1 --as i64 --bad null holes.tsv
tr '\n' '\r' <holes.tsv >mac.tsv
check "lines that end in CR alone" same --column 1 --as i64 --bad skip mac.tsv
check "raw keys" same --format u32le raw.bin
check "keys of bytes" same --format bytes:5 raw.bin
check "several files, and compressed ones" same --column 1 plain.tsv.gz plain.tsv plain.tsv.gz
verified() { job 3 --kmer 21 --verify genome.fna >out 2>&1 || { cat out; return 1; }; }
check "--verify over three processes" verified
fails() {
    job 3 --column 2 quoted.csv >out 2>err && return 1
    grep -q "quoted.csv" err
}
printf '"x\ny",1\n' >>quoted.csv
printf '7,seven\n' >>quoted.csv
check "a file with an error in one part" fails
saved_job() {
    "$roost" count --device host --kmer 21 -q --output alone.csv genome.fna && job 3 --kmer 21 --save job.roost genome.fna &&
        "$roost" dump --device host job.roost --sort -o job.csv && cmp job.csv alone.csv
}
check "the parts of three processes are saved, and loaded as one" saved_job
pipes() { ! job 2 --column 1 - <plain.tsv >out 2>err && grep -q "regular file" err; }
check "a pipe, which processes cannot share" pipes
missing() { ! job 2 --column 1 nowhere.tsv >out 2>err && grep -q "nowhere.tsv" err; }
check "a file that is not there" missing

# ---- Replays

# replays OPTION...: the same numbers, every answer verified, and the same points of the curve's
# keys.
replays() {
    "$roost" replay --device host --verify --json "$@" >one.json || return 1
    for ranks in $(tried "$*"); do
        ranks_of $ranks "$roost" replay --device host --verify --json --plot many.svg "$@" >many.json 2>many.err ||
            { cat many.err; return 1; }
        answers one.json >a && answers many.json >b && cmp a b && grep -q '</svg>' many.svg ||
            { echo "$ranks ranks differ"; return 1; }
    done
}
check "a replay of k-mers" replays --kmer 21 --batch 50000 genome.fna
check "a replay of several files, and compressed ones" replays --column 1 --batch 7000 plain.tsv.gz plain.tsv plain.tsv.gz
check "a replay of raw keys, with as many erases" replays --format u32le --batch 9999 --erase-ratio 1 raw.bin
check "a replay of keys of bytes" replays --format bytes:5 --batch 9999 raw.bin
head -c 20 raw.bin >few.bin
check "batches of fewer keys than ranks" replays --format u32le --batch 2 few.bin
: >empty.bin
check "a replay of no keys" replays --format u32le empty.bin
replay_quiet() { ranks_of 2 "$roost" replay --device host -q --kmer 21 genome.fna >out 2>err && [ ! -s out ] && [ ! -s err ]; }
check "a replay without --verify" replay_quiet
replay_strings() {
    ranks_of 2 "$roost" replay --device host --words plain.tsv >out 2>err && return 1
    grep -q "keys are strings is not spread" err
}
check "a replay of strings, which are not spread" replay_strings
replay_pipe() { ! ranks_of 2 "$roost" replay --device host --column 1 - <plain.tsv >out 2>err && grep -q "regular file" err; }
check "a replay of a pipe" replay_pipe

# replay_finds PLANT TEXT: --verify finds what the ranks of a command with this fault do, and the
# job ends as its rank 0.
replay_finds() {
    ranks_of 3 "$planted/roost-$1" replay --device host --verify --kmer 21 --batch 50000 --plot plant.svg genome.fna >out 2>err
    code=$?
    [ $code = 1 ] && grep -q -- "--verify: $2" err && [ ! -s out ] && [ ! -e plant.svg ] && return 0
    echo "exit $code"
    cat out err
    return 1
}
planted=${ROOST_PLANTED_DIR:?}
if [ -x "$planted/roost-stale_value" ] && [ -x "$planted/roost-undone_erase" ]; then
    check "--verify of a replay finds a stale value" \
        replay_finds stale_value "batch [0-9]*, key [ACGT]\{21\}: the find gives the value"
    check "--verify of a replay finds an erase that was undone" replay_finds undone_erase "batch 2: the table reports"
fi

# ---- A rank that dies

# Batches of one key keep the ranks busy for half a minute.
# dies OPTION...: of an output here/old.  Rank 0, which writes it, would leave its temporary file.
dies() {
    mkdir -p here && echo old >here/old
    # A rank on a busy machine gets more than a second to remove its files before it is killed.
    (
        export OMPI_MCA_odls_base_sigkill_timeout=4
        ranks_of 3 "$roost" "$@" --device host -q --kmer 21 --batch 1 genome.fna >out 2>err
    ) &
    sleep 2
    victim=
    for process in $(pgrep -f "$roost $* --device host -q --kmer 21 --batch 1 genome.fna"); do
        tr '\0' '\n' <"/proc/$process/environ" | grep -qx '\(OMPI_COMM_WORLD_RANK\|PMI_RANK\)=2' && victim=$process
    done
    [ -n "$victim" ] && kill -9 "$victim"
    wait $!
    code=$?
    for _ in 1 2 3 4 5; do [ "$(ls here)" = old ] || sleep 1; done # the others may end after mpirun
    [ $code != 0 ] && [ -n "$victim" ] && [ "$(ls here)" = old ] && [ "$(cat here/old)" = old ] && return 0
    echo "exit code $code; $(ls -A here) $(cat here/old), $victim died"
    return 1
}
check "a rank that dies ends the job, and the old output stays" dies count --output here/old
check "a rank of a replay that dies" dies replay --plot here/old
exit $failed
