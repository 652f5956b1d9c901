#!/bin/sh
# Each error in the command's options and files gives the right exit code, exactly one line on
# stderr that names the cause, and nothing on stdout.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"

# ends CODE TEXT: checks how a command ended that wrote $work/out and $work/err, with its exit code
# in $code.
ends() {
    if [ "$code" = "$1" ] && [ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ] && grep -qF -- "$2" "$work/err"; then
        return 0
    fi
    echo "exit $code; expected $1 and one line with: $2"
    cat "$work/out" "$work/err"
    return 1
}

# refuses CODE TEXT ARGUMENT...: `roost ARGUMENT...` ends with CODE and TEXT.
refuses() {
    expected=$1
    text=$2
    shift 2
    "$roost" "$@" >"$work/out" 2>"$work/err"
    code=$?
    ends "$expected" "$text"
}

# wrong TEXT ARGUMENT...: `roost count` refuses its options; bad: it refuses its input.
wrong() {
    text=$1
    shift
    check "usage: $text" refuses 2 "$text" count "$@"
}
bad() {
    text=$1
    shift
    check "input: $text" refuses 1 "$text" count --device "$device" "$@"
}

cd "$work" || exit 1
printf '>a\nACGTACGT\n' >good.fna
printf '1\n2\n3\n' >good.tsv

# ---- Options

check "no subcommand" refuses 2 "roost: no subcommand given"
check "unknown subcommand" refuses 2 "roost: 'guess' is not a subcommand" guess
check "help for an unknown subcommand" refuses 2 "roost: 'guess' is not a subcommand" help guess
check "completion without a shell" refuses 2 "roost: completion needs a shell" completion
check "completion for another shell" refuses 2 "roost: completion is for bash, zsh or fish, not 'tcsh'" completion tcsh
check "unknown option of info" refuses 2 "roost info: '--frobnicate' is not an option" info --frobnicate
check "info takes one snapshot" refuses 2 "roost info: 'y' is unexpected: info takes one snapshot" info x y
check "a snapshot that is not there" refuses 1 "roost info: x: it cannot be opened: No such file or directory" info x
terminal() {
    command -v script >/dev/null || { echo "# skipped: no script"; return 0; }
    script -qec "'$roost' count --kmer 21" /dev/null >"$work/out" 2>&1 </dev/null
    [ $? = 2 ] && grep -q "no FILE given, and standard input is a terminal" "$work/out"
}
check "usage: no FILE on a terminal" terminal
for n in 5m 5MB 1.5M M Ki -5M 18446744073709551615k 99999999999999999999T; do wrong "--capacity is a number" good.tsv --column 1 --capacity "$n"; done
for n in -1 1.5 x 0; do wrong "--max-fill is a number from 0.01 to 1" good.tsv --column 1 --max-fill "$n"; done
for n in -1 1.5 x; do wrong "--min-fill is a number from 0 to 1" good.tsv --column 1 --min-fill "$n"; done
bad "lower" good.tsv --column 1 --engine dycuckoo --min-fill 0.8 --max-fill 0.85
wrong "--memory-limit is a number from 1" good.tsv --column 1 --memory-limit 0
wrong "--output-format is tsv, csv, jsonl or fasta, not 'xml'" good.tsv --column 1 --output x --output-format xml
wrong "--output-format belongs to --output" good.tsv --column 1 --output-format csv
wrong "--histogram writes .tsv, .svg or .png, not 'x.pdf'" good.tsv --column 1 --histogram x.pdf
wrong "no keys selected" good.fna
wrong "'--frobnicate' is not an option" --frobnicate good.fna
wrong "'--frobnicate=1' is not an option" --kmer 3 good.fna --frobnicate=1
wrong "'-x' is not an option" -x good.fna
wrong "'-qx' is not an option" --kmer 3 good.fna -qx
wrong "'--kmer' needs a value" good.fna --kmer
wrong "'--json=yes' takes no value" good.fna --kmer 3 --json=yes
for k in 0 65 -1 3.5 x "" 18446744073709551617; do wrong "--kmer is a number from 1 to 64, not '$k'" good.fna --kmer "$k"; done
wrong "--column is a number from 1 or a name, not '0'" good.tsv --column 0
wrong "--column is a number from 1 or a name, not '99999999999999999999'" good.tsv --column 99999999999999999999
wrong "--column is a number from 1 or a name, not empty" good.tsv --column ""
wrong "date, datetime, u64, u32, base36, string or bytes:N with N from 1 to 128, not 'float'" good.tsv --column 1 --as float
for n in 0 129 -1 x "" 1.5 99999999999999999999; do
    wrong "date, datetime, u64, u32, base36, string or bytes:N with N from 1 to 128, not 'bytes:$n'" good.tsv --column 1 --as "bytes:$n"
    wrong "bytes:N with N from 1 to 128, arc or cache2k, not 'bytes:$n'" good.tsv --format "bytes:$n"
done
wrong "--as is i64" good.tsv --column 1 --as bytes
for n in 19 -1 x ""; do wrong "decimal:N with N from 0 to 18, date" good.tsv --column 1 --as "decimal:$n"; done
wrong "--bad is error, skip or null, not 'drop'" good.tsv --column 1 --bad drop
wrong "--bad belongs to --column" good.fna --kmer 3 --bad skip
wrong "--comment belongs to --column" good.fna --kmer 3 --comment '#'
for c in "" '##' '"'; do wrong "--comment is one character" good.tsv --column 1 --comment "$c"; done
check "usage: replay --bad null" refuses 2 "--bad null only counts" replay good.tsv --column 1 --bad null
wrong "--format is fasta, fastq, tsv" good.tsv --format parquet
wrong "--compression is auto or none, not 'xz'" good.tsv --column 1 --compression xz
wrong "--count-bits is 32 or 64, not '16'" good.tsv --column 1 --count-bits 16
wrong "--top is a number" good.tsv --column 1 --top many
wrong "--batch is a number from 1" good.tsv --column 1 --batch 0
wrong "--capacity is a number" good.tsv --column 1 --capacity 1e6
for n in 0 1025; do
    wrong "--threads is a number from 1 to 1024, not '$n'" good.tsv --column 1 --threads $n
    check "usage: tune --threads $n" refuses 2 "--threads is a number from 1 to 1024" tune --engine gph --threads $n
done
wrong "--seed is a number" good.tsv --column 1 --seed -5
wrong "--option is NAME=VALUE, not 'slots'" good.tsv --column 1 --option slots
wrong "--format fastq needs --kmer" good.fna --format fastq
wrong "--no-canonical belongs to --kmer" good.tsv --column 1 --no-canonical
wrong "--kmer and --column exclude each other" good.tsv --kmer 3 --column 1
wrong "--format fasta needs --kmer" good.fna --format fasta
wrong "--format csv needs --column" good.tsv --format csv
wrong "--kmer reads FASTA and FASTQ, not npy" good.fna --kmer 3 --format npy
wrong "--column reads tsv or csv, not u32le" good.fna --column 3 --format u32le
wrong "--as belongs to --column" good.fna --kmer 3 --as u32
wrong "--as belongs to --column" good.fna --kmer 3 --as string
wrong "--as belongs to --column" good.fna --format u64le --as bytes:8
wrong "--as belongs to --column" good.fna --words --as string
wrong "--words excludes --kmer, --column and --format" good.fna --words --kmer 3
wrong "--words excludes --kmer, --column and --format" good.fna --words --column 1
wrong "--words excludes --kmer, --column and --format" good.fna --words --format tsv
wrong "--header belongs to --column" good.fna --words --header
wrong "--separator belongs to --column" good.fna --words --separator ,
wrong "--skip-blank belongs to --column" good.fna --kmer 3 --skip-blank
wrong "--separator and --format tsv exclude each other" good.tsv --column 1 --format tsv --separator ,
for c in "" ab '"' "$(printf '\r')"; do wrong "--separator is one character" good.tsv --column 1 --separator "$c"; done
wrong "--column is a number from 1 or a name, not empty" good.tsv --column =
wrong "'--words=yes' takes no value" good.fna --words=yes
wrong "--column reads tsv or csv, not bytes:N" good.fna --column 1 --format bytes:7
wrong "--kmer reads FASTA and FASTQ, not bytes:N" good.fna --kmer 3 --format bytes:7
wrong "--header belongs to --column" good.fna --format u64le --header

# ---- Engines and devices

bad "no-such-engine" good.fna --kmer 3 --engine no-such-engine
bad "no-such-option" good.fna --kmer 3 --engine dycuckoo --option no-such-option=1
check "unknown device" refuses 1 "roost count: " count good.fna --kmer 3 --device abacus
check "a GPU that is not there" refuses 1 "cuda:99" count good.fna --kmer 3 --device cuda:99
bad "roost count: " good.fna --kmer 3 --capacity 18446744073709551615

# ---- Files

bad "missing.fna: No such file or directory" missing.fna --kmer 3
bad "missing.fna: No such file or directory" good.fna missing.fna --kmer 3
bad ".: Is a directory" . --kmer 3
bad "good.tsv: not FASTA" good.tsv --kmer 3
bad "two?lines: No such file" "$(printf 'two\nlines')" --kmer 3
head -c 100000 "$genome" >cut.gz
bad "cut.gz: truncated" cut.gz --kmer 21
gzip -dc "$genome" | head -c 500000 | gzip -1 >sound.gz
{ head -c 100000 sound.gz; printf 'XXXXXXXXXX'; tail -c +100011 sound.gz; } >damaged.gz
bad "damaged.gz: damaged gzip data" damaged.gz --kmer 21
printf '\050\265\057\375' >cut.zst
bad "cut.zst: truncated" cut.zst --kmer 21
printf '\050\265\057\375\377%040d' 0 >damaged.zst
bad "damaged.zst: damaged zstd data" damaged.zst --kmer 21
printf '1\n2\nthree\n' >word.tsv
bad "word.tsv: line 3: column 1: 'three' is not a decimal number of 64 bits" word.tsv --column 1
bad "good.tsv: no column 'price' in the header" good.tsv --column price
bad "good.tsv: line 1: no column 7, the line has 1" good.tsv --column 7
printf '4294967295\n4294967296\n' >large.tsv
bad "large.tsv: line 2: column 1: '4294967296' is too large for a decimal number of 32 bits" large.tsv --column 1 --as u32
printf 'a,b\n1,\n' >gap.csv
bad "gap.csv: line 2: column 2 is empty" gap.csv --column b
printf 'a,b\n1,"2\n' >open.csv
bad "open.csv: line 2: a quoted field is never closed" open.csv --column b
printf '12345' >odd.bin

printf '@r\nACGT\n+\n@II\n' >reads.fq
bad "reads.fq: line 1: truncated: the record has fewer qualities than letters" reads.fq --kmer 3
printf '@r\nACGT\n+\n@IIII\n' >reads.fq
bad "reads.fq: line 4: the record has more qualities than letters" reads.fq --kmer 3
printf '\377\376a\000\n\000' >wide.txt
bad "wide.txt: it is UTF-16: convert it" wide.txt --words
bad "wide.txt: it is UTF-16: convert it" wide.txt --column a --as string
printf 'id,"to\nwn",x\r1,Bern,y\r' >mac.csv
bad "mac.csv: its line ends are CR alone: convert it" mac.csv --column 2 --header --as string
printf 'nr\n1\nx\n2\ny\n' >bad.csv
bad "bad.csv: line 3: column 1: 'x' is not a decimal number of 64 bits (the first of 2 records without a key; --bad skip" \
    bad.csv --column nr
bad "bad.csv: line 2: column 1: '1' is not a date as 2026-12-31" bad.csv --column nr --as date --header --bad error
printf '# made by\nnr\n1\n' >comment.csv
bad "comment.csv: no column 'nr' in the header (--comment '#' skips" comment.csv --column nr
bad "bad.csv: line 1: no column 2000, the line has 1 (a name that is a number is given as =NAME)" bad.csv --column 2000
printf 'nr\n4\n\n' >blank.csv
bad "blank.csv: line 3 is blank: column 1 is empty (--skip-blank" blank.csv --column nr
printf 'x\n' | xz >tail.xz
printf 'abc' >>tail.xz
bad "tail.xz: damaged xz data: they are complete, but followed by 3 bytes of something else" tail.xz --words
for tool in gzip bzip2 xz; do
    printf '1\n2\n' | $tool | head -c 20 >cut.$tool
    bad "cut.$tool: truncated: the $tool data end too early" cut.$tool --column 1
done

# 9 bytes and a line end; with quotes, lines of 12 and of 14 bytes.
printf 'abcdefg,h\n"x\ny,"",2",1\n' >long.csv
printf '123456 1 0 0\n' >long.arc
for size in 1 8; do bad "long.csv: line 1: it has more than $size bytes, the bound of --max-line" long.csv --column 1 --as string --max-line $size; done
for size in 9 11; do bad "long.csv: line 2: it has more than $size bytes" long.csv --column 1 --as string --max-line $size; done
check "a record of just so many bytes" succeeds long.csv --column 1 --as string --max-line 12 -q
bad "long.arc: line 1: it has more than 11 bytes" long.arc --format arc --max-line 11
check "a line of a trace of just so many bytes" succeeds long.arc --format arc --max-line 12 -q
bad "long.arc: a word has more than 5 bytes" long.arc --words --max-line 5
check "a word of just so many bytes" succeeds long.arc --words --max-line 6 -q
for n in 0 x -1 ""; do wrong "--max-line is a number from 1" good.tsv --column 1 --max-line "$n"; done
printf '>a\nACGTACGT\n' >long.fna
check "lines of FASTA have no bound" succeeds long.fna --kmer 3 --max-line 4 -q
bad "odd.bin: truncated: its length is not a multiple of 4 bytes" odd.bin --format u32le
bad "odd.bin: truncated: its length is not a multiple of 8 bytes" odd.bin --format u64be
bad "odd.bin: truncated" odd.bin --format npy
bad "odd.bin: truncated: its length is not a multiple of 3 bytes" odd.bin --format bytes:3
bad "good.tsv: line 1: column 1: '1' has 1 bytes, not 2" good.tsv --column 1 --as bytes:2
bad "open.csv: line 2: a quoted field is never closed" open.csv --column b --as string
bad "good.tsv: no column 'price' in the header" good.tsv --column price --as string
bad "good.tsv: line 1: no column 7, the line has 1" good.tsv --column 7 --as string
bad "cut.gz: truncated" cut.gz --words
for engine in dycuckoo slab gph; do
    bad "stadium" good.tsv --words --engine $engine
    bad "stadium" good.tsv --column 1 --as string --engine $engine
    bad "stadium" good.fna --format bytes:1 --engine $engine
done
bad "good.fna: not an .npy file" good.fna --format npy
printf '\223NUMPY\001\000\064\000%s' "{'descr':'<f8','fortran_order':False,'shape':(0,),} " >float.npy
bad "float.npy: its items are not integers" float.npy --format npy
printf '\223NUMPY\001\000\064\000%s' "{'descr':'<i4','fortran_order':False,'shape':(0,),} " >narrow.npy
printf '\223NUMPY\001\000\064\000%s' "{'descr':'<u8','fortran_order':False,'shape':(0,),} " >wide.npy
bad "wide.npy: its keys have another type" narrow.npy wide.npy --format npy

twice() {
    "$roost" count --device "$device" --kmer 3 --verify - <good.fna >"$work/out" 2>"$work/err"
    code=$?
    ends 1 "-: --verify reads a file twice"
}
pipe_twice() {
    cat good.fna | "$roost" count --device "$device" --kmer 3 --verify - >"$work/out" 2>"$work/err"
    code=$?
    ends 1 "-: --verify reads a file twice"
}
check "--verify of standard input is refused" twice
check "--verify of a pipe is refused" pipe_twice

# ---- Outputs

bad "nowhere/list.tsv: cannot write: No such file or directory" good.fna --kmer 3 --output nowhere/list.tsv
bad ".: cannot write: Is a directory" good.fna --kmer 3 --output .
bad "/dev/full: cannot write: No space left on device" good.fna --kmer 3 --output /dev/full
bad "/dev/full: cannot write: No space left on device" good.fna --kmer 3 --histogram /dev/full
bad "/dev/full: cannot write: No space left on device" good.fna --kmer 3 --plot /dev/full

full_stdout() {
    "$roost" "$@" >/dev/full 2>"$work/err"
    code=$?
    : >"$work/out"
    ends 1 "cannot write to standard output"
}
check "a full disk under stdout" full_stdout count --device "$device" --kmer 3 good.fna
check "a full disk under the JSON" full_stdout count --device "$device" --kmer 3 good.fna --json
check "a full disk under the help" full_stdout help
check "a full disk under info" full_stdout info --json

no_gnuplot() {
    mkdir -p "$work/no-programs"
    PATH=$work/no-programs "$roost" count --device "$device" --kmer 3 good.fna --histogram "$work/x.svg" >"$work/out" 2>"$work/err"
    code=$?
    ends 1 "pictures need gnuplot"
}
check "gnuplot that is not installed" no_gnuplot

untouched() {
    mkdir "$work/clean"
    printf 'old\n' >"$work/clean/list.tsv"
    refuses 1 "line 3" count --device "$device" word.tsv --column 1 --output "$work/clean/list.tsv" \
        --histogram "$work/clean/s.svg" &&
        [ "$(cat "$work/clean/list.tsv")" = old ] && [ "$(ls "$work/clean")" = list.tsv ]
}
check "a failed run leaves old output as it was and nothing new" untouched

exit $failed
