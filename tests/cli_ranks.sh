#!/bin/sh
# `roost count` over the processes of an MPI job, and over several devices: the output is that of
# one process, whatever the files are; a job whose rank dies ends, and changes no file.
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

# ---- Processes

command -v mpirun >/dev/null && ldd "$roost" | grep -q libmpi || { [ $failed = 0 ] && exit 0; exit 1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI on one machine, without ssh and without reading another process's memory.
export OMPI_MCA_plm=isolated OMPI_MCA_btl_vader_single_copy_mechanism=none
job() {
    ranks=$1
    shift
    timeout 100 mpirun --oversubscribe --bind-to none -n "$ranks" "$roost" count --device host -q "$@"
}

# same OPTION...: counts in one process and in several; the lists, the most frequent keys and the
# numbers of keys are the same.
same() {
    "$roost" count --device host -q --top 7 --output one.csv --histogram one.svg "$@" >one.out || return 1
    for ranks in 2 3 8; do
        job $ranks --top 7 --output many.csv --histogram many.svg "$@" >many.out 2>many.err || { cat many.out many.err; return 1; }
        cmp one.csv many.csv && cmp one.out many.out && cmp one.svg many.svg || { echo "$ranks ranks differ"; return 1; }
    done
}
check "k-mers across the cut of two parts" same --kmer 21 genome.fna
check "lines that end in quotes" same --column count quoted.csv
check "a column of a tsv" same --column 1 --batch 1000 plain.tsv
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
pipes() { ! job 2 --column 1 - <plain.tsv >out 2>err && grep -q "regular file" err; }
check "a pipe, which processes cannot share" pipes
missing() { ! job 2 --column 1 nowhere.tsv >out 2>err && grep -q "nowhere.tsv" err; }
check "a file that is not there" missing

# ---- A rank that dies

# Batches of one key keep the ranks busy for half a minute.
dies() {
    mkdir -p here && echo old >here/list.csv
    job 3 --kmer 21 --batch 1 --output here/list.csv genome.fna >out 2>err &
    sleep 2
    victim=$(pgrep -f "$roost count --device host -q --kmer 21 --batch 1 --output here/list.csv" | tail -1)
    [ -n "$victim" ] && kill -9 "$victim"
    wait $!
    code=$?
    [ $code != 0 ] && [ "$(ls here)" = list.csv ] && [ "$(cat here/list.csv)" = old ] && return 0
    echo "exit code $code; $(ls -A here)"
    return 1
}
check "a rank that dies ends the job, and the old output stays" dies
exit $failed
