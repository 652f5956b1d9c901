#!/bin/sh
# `roost count` and `roost replay` with keys that are no integers: strings of columns, words and
# keys of any width, compared with the counts of sort and uniq.  Then the output of such keys, and
# the options that they exclude.
# With ROOST_DATA, a folder that has reddit-top-2013/, also the whole files of which data/ has
# excerpts.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
posts=$ROOST_SOURCE_DIR/data/reddit-posts.tsv.gz
urls=$ROOST_SOURCE_DIR/data/reddit-urls.txt.gz
export LC_ALL=C
tab=$(printf '\t')

# ---- The counts of sort

# tally FILE: the lines of standard input with their counts, by rising line, in the format of
# --output.
tally() { sort | uniq -c | sed "s/^ *\([0-9]*\) \(.*\)/\2$tab\1/" >"$1"; }
words() { tr -s ' \t\n\v\f\r' '\n' | sed '/^$/d'; }
hex() { od -An -v -tx1 -w"$1" | tr -d ' '; }

gzip -dc "$posts" >"$work/posts.tsv"
gzip -dc "$urls" >"$work/urls.txt"
cut -f 3 <"$work/posts.tsv" | tally "$work/domains.expected"
cut -f 1 <"$work/posts.tsv" | tally "$work/ids.expected"
cut -f 2 <"$work/posts.tsv" | tally "$work/times.expected"
tally "$work/urls.expected" <"$work/urls.txt"
words <"$work/urls.txt" | tally "$work/words.expected"
words <"$work/posts.tsv" | tally "$work/fields.expected"

# lists EXPECTED FILE OPTION...: the counts of FILE are those of sort.
lists() {
    expected=$1
    shift
    succeeds --verify --quiet --output "$work/list.tsv" "$@" && cmp "$work/$expected.expected" "$work/list.tsv"
}

# ---- Strings

check "a column of domains" lists domains "$posts" --column 3 --as string
check "a column of ids, each of them once" lists ids "$work/posts.tsv" --column 1 --as string --batch 100
check "a column of URLs, with commas in them" lists urls "$urls" --column 1 --as string --format tsv
check "the words of URLs" lists words "$urls" --words
check "the words of a table" lists fields "$work/posts.tsv" --words --batch 7777

numbers() {
    succeeds "$posts" --column 3 --as string --verify --json --top 3 || return 1
    says "\"column 3, strings\"" '"total": 17481,' '"distinct": 4444,' '"verified": true' '"key_bytes": 0' '"engine": "stadium"' \
        '"key": "i.imgur.com"' '"count": 3598' '"key": "imgur.com"' '"count": 2274' '"key": "youtube.com"' '"count": 1318' \
        '"arena_used"' || return 1
    succeeds "$urls" --words --json && says '"keys": "words"' '"total": 10002,' '"distinct": 9999,'
}
check "the numbers that data/README.md holds" numbers

report() {
    succeeds "$posts" --column 3 --as string --top 2 --verify --histogram "$work/spectrum.svg" --plot "$work/fill.svg" || return 1
    says "keys          column 3, strings" "total         17481" "distinct      4444" "table         stadium on" "strings as keys" \
        "strings       " "verified " "i.imgur.com${tab}3598" "imgur.com${tab}2274" || return 1
    grep -q "</svg>" "$work/spectrum.svg" && grep -q "</svg>" "$work/fill.svg"
}
check "report and pictures" report

check "another seed, two threads, 64-bit counts, the engine by its name" \
    lists domains "$posts" --column 3 --as string --seed 77 --threads 2 --count-bits 64 --engine stadium
check "a table that does not grow" lists domains "$posts" --column 3 --as string --capacity 10000
check "hashes of 6 bits, which many domains share" lists domains "$posts" --column 3 --as string --option hash_bits=6
check "another hash" lists domains "$posts" --column 3 --as string --option hash=sip
check "one key a batch" lists domains "$posts" --column 3 --as string --batch 1

pipes() {
    for input in gz plain; do
        if [ $input = gz ]; then cat "$urls"; else cat "$work/urls.txt"; fi |
            "$roost" count --device "$device" --words --quiet --output "$work/list.tsv" - || return 1
        cmp "$work/words.expected" "$work/list.tsv" || return 1
    done
}
check "words through a pipe, compressed and plain" pipes

two_files() {
    succeeds "$posts" "$work/posts.tsv" --column 3 --as string --json --top 1 --verify &&
        says '"total": 34962' '"distinct": 4444' '"count": 7196'
}
check "two files count into one table" two_files

# ---- Strings of extreme lengths

lengths() {
    # 200 KB of a's, twice; 20 MB of b's, more than a batch has room for; the empty string;
    # neighbours that differ in one byte.
    {
        for _ in 1 2; do head -c 200000 /dev/zero | tr '\0' a && echo; done
        head -c 20000000 /dev/zero | tr '\0' b && echo
        echo
        echo
        head -c 199999 /dev/zero | tr '\0' a && echo
        head -c 200001 /dev/zero | tr '\0' a && echo
    } >"$work/long.txt"
    tally "$work/long.expected" <"$work/long.txt"
    lists long "$work/long.txt" --column 1 --as string || return 1
    sed '/^./!d' "$work/long.txt" | tally "$work/long.expected"
    lists long "$work/long.txt" --words --batch 2
}
check "the empty string, long strings, and one that is longer than a batch's bytes" lengths

# ---- The output of strings

printf 'x,key\n1,plain\n2,"tab\there"\n3,"line\nend"\n4,"car\rriage"\n5,back\\slash\n6,\n7,"g\303\251nome"\n8,\377\376\n9,nul\000byte\n' \
    >"$work/odd.csv"
printf '10,\033[31m\n11,\302\200\n12,\355\240\200\n13,\360\237\230\200\n14,\300\257\n15,"quo""te"\n16,\177\n17,\xC3\n' |
    sed 's/\\xC3/\xc3/' >>"$work/odd.csv"
# By rising bytes: a key comes behind its own prefix.
{
    printf '\t1\n\\x1b[31m\t1\nback\\\\slash\t1\ncar\\rriage\t1\ng\303\251nome\t1\nline\\nend\t1\nnul\\x00byte\t1\nplain\t1\nquo"te\t1\n'
    printf 'tab\\there\t1\n\\x7f\t1\n\\xc0\\xaf\t1\n\\xc2\\x80\t1\n\\xc3\t1\n\\xed\\xa0\\x80\t1\n\360\237\230\200\t1\n\\xff\\xfe\t1\n'
} >"$work/odd.expected"
check "bytes that would break a line, or are no text, are escaped" lists odd "$work/odd.csv" --column key --as string
odd_json() {
    succeeds "$work/odd.csv" --column key --as string --json --top 100 &&
        says '"key": "tab\\there"' '"key": "\\xff\\xfe"' "$(printf '"key": "g\303\251nome"')" '"key": ""' &&
        python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["top"]) == 17' "$work/out"
}
check "the same in JSON" odd_json

# ---- Keys of any width

# widths N FILE EXPECTED: FILE as keys of N bytes; their expected counts are computed from
# hexadecimal digits.
widths() {
    hex "$1" <"$2" | tally "$work/width.expected"
    lists width "$2" --format "bytes:$1"
}
head -c 126720 "$work/posts.tsv" >"$work/posts.bin" # a multiple of many widths
for n in 1 2 3 4 5 8 12 16 20 24 32 64 96 128; do check "binary keys of $n bytes" widths "$n" "$work/posts.bin"; done
check "a column of 10 bytes each" lists times "$posts" --column 2 --as bytes:10
width_report() {
    succeeds "$work/posts.bin" --format bytes:16 --verify --json --top 1 &&
        says '"keys": "binary keys of 16 bytes"' '"total": 7920,' '"key_bytes": 16' '"engine": "stadium"' &&
        grep -qE '"key": "[0-9a-f]{32}"' "$work/out" || return 1
    succeeds "$work/posts.bin" --format bytes:16 && says "16-byte keys" || return 1
    succeeds "$work/posts.bin" --format bytes:8 --json && ! says '"engine": "stadium"' >/dev/null
}
check "reports of keys of a width; those of 8 bytes need no engine for wide keys" width_report
check "binary keys of 128 bytes with hashes of 4 bits" lists width "$work/posts.bin" --format bytes:128 --option hash_bits=4
hex 8 <"$work/posts.bin" | tally "$work/eight.expected"
for engine in dycuckoo slab gph; do
    check "keys of 8 bytes by $engine" lists eight "$work/posts.bin" --format bytes:8 --engine $engine
done

# ---- Replays

# replayed TOTAL OPTION...
replayed() {
    total=$1
    shift
    if ! "$roost" replay --device "$device" --verify --json "$@" >"$work/out" 2>"$work/err" || [ -s "$work/err" ]; then
        cat "$work/err"
        return 1
    fi
    says "\"total\": $total" '"verified": true' '"engine": "stadium"'
}
check "domains are replayed" replayed 17481 "$posts" --column 3 --as string --batch 1500
check "URLs are replayed, and all except a few are erased" replayed 10002 "$urls" --words --batch 999 --erase-ratio 0.05
check "URLs are replayed with short hashes" replayed 10002 "$urls" --words --batch 2000 --option hash_bits=8
check "keys of 10 bytes are replayed" replayed 17481 "$posts" --column 2 --as bytes:10 --batch 1000 --erase-ratio 0.5
check "keys of 128 bytes are replayed" replayed 990 "$work/posts.bin" --format bytes:128 --batch 100
check "keys of 5 bytes are replayed" replayed 25344 "$work/posts.bin" --format bytes:5 --batch 5000 --option hash_bits=12
same_answers() {
    for options in "--threads 1" "--threads 3 --option hash=sip" "--capacity 50000"; do
        # shellcheck disable=SC2086
        replayed 17481 "$posts" --column 3 --as string --batch 2000 $options || return 1
        grep -E '"(new|found|erased|items|count|total|batches)":' "$work/out" | tr -d ' \n' | sed 's/"points".*//' >"$work/answers"
        [ -e "$work/first" ] || mv "$work/answers" "$work/first"
        [ ! -e "$work/answers" ] || cmp "$work/first" "$work/answers" || return 1
    done
}
check "a replay gives the same answers with other threads, hashes and sizes" same_answers
report_of_replay() {
    "$roost" replay --device "$device" "$posts" --column 3 --as string --batch 4000 --plot "$work/replay.svg" >"$work/out" 2>"$work/err" &&
        says "column 3, strings, 17481 of them" "strings as keys, 4-byte values" && grep -q "</svg>" "$work/replay.svg"
}
check "report and picture of a replay" report_of_replay

nothing() {
    : >"$work/empty"
    for keys in "--words" "--column 1 --as string" "--format bytes:77"; do
        # shellcheck disable=SC2086
        succeeds "$work/empty" $keys --verify --json --top 3 --output "$work/list.tsv" && says '"total": 0' '"top": []' &&
            [ ! -s "$work/list.tsv" ] || return 1
        # shellcheck disable=SC2086
        replayed 0 "$work/empty" $keys || return 1
    done
}
check "an empty file" nothing

# ---- The whole files

full=${ROOST_DATA:-}/reddit-top-2013
if [ -n "${ROOST_DATA:-}" ] && [ -e "$full/posts.tsv.zst" ]; then
    all() {
        succeeds "$full/posts.tsv.zst" --column 3 --as string --verify --json --top 1 || return 1
        says '"total": 2237464' '"distinct": 124057' '"key": "i.imgur.com"' '"count": 471713' '"verified": true' || return 1
        succeeds "$full/urls.txt.zst" --column 1 --as string --format tsv --verify --json &&
            says '"total": 400000' '"distinct": 394373' '"verified": true' || return 1
        replayed 2237464 "$full/posts.tsv.zst" --column 3 --as string --batch 200000 || return 1
        replayed 400000 "$full/urls.txt.zst" --column 1 --as string --format tsv --batch 40000 --erase-ratio 0.5
    }
    check "all domains and URLs" all
fi

exit $failed
