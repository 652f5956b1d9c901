#!/bin/sh
# Snapshots from the shell: `roost count --save`, query, merge, dump and info do what they document;
# sort, join, awk, jellyfish and kmc_tools agree with them; damage is named, or left out.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
cd "$work" || exit 1

# on SUBCOMMAND ARGUMENT...: runs it with the tables on the device; output goes to out and err.
on() {
    subcommand=$1
    shift
    "$roost" "$subcommand" --device "$device" "$@" >out 2>err
}
# quietly SUBCOMMAND ARGUMENT...: requires that it exits with 0 and prints nothing to stderr.
quietly() { on "$@" && [ ! -s err ] || { cat err; return 1; }; }
# prints WANTED SUBCOMMAND ARGUMENT...: requires this output; WANTED has ";" for each line end and a
# space for each tab.
prints() {
    wanted=$1
    shift
    quietly "$@" || return 1
    [ "$(tr '\t\n' ' ;' <out)" = "$wanted" ] || { cat out; return 1; }
}
# refuses CODE TEXT SUBCOMMAND ARGUMENT...: requires this exit status, and one line with this text.
refuses() {
    code=$1 text=$2 subcommand=$3
    shift 3
    ends "$code" "$text" "$roost" "$subcommand" --device "$device" "$@" && [ "$(wc -l <err)" = 1 ]
}
# saves NAME FILE OPTION...: counts FILE into NAME.roost and NAME.tsv.
saves() {
    saved=$1 file=$2
    shift 2
    quietly count "$file" -q --save "$saved.roost" --output "$saved.tsv" "$@"
}

# ---- k-mers: a dump is the list of counts

gzip -dc "$genome" | head -c 100000 >a.fna
{ echo ">x"; gzip -dc "$genome" | head -c 150000 | tail -c 100000; echo; echo "ACGTNNNAC"; } >b.fna
for k in 11 21 40; do
    counts_kmers() {
        saves "a$k" a.fna --kmer $k && saves "b$k" b.fna --kmer $k --zstd 3 && quietly dump --sort "a$k.roost" && cmp out "a$k.tsv" &&
            quietly dump "b$k.roost" -o unsorted.tsv && LC_ALL=C sort unsorted.tsv | cmp - "b$k.tsv" && [ -s "b$k.tsv" ]
    }
    check "$k-mers: a dump is the list of counts" counts_kmers
done
formats() {
    for format in csv jsonl; do
        quietly count a.fna --kmer 21 -q --output "list.$format" && quietly dump a21.roost --sort --format $format && cmp out "list.$format" &&
            quietly dump a21.roost --sort -o "dump.$format.gz" && gzip -dc "dump.$format.gz" | cmp - "list.$format" || return 1
    done
    quietly dump a21.roost --sort -o dump.fa && paste - - <dump.fa | sed 's/^>//' | awk '{ print $2 "\t" $1 }' | cmp - a21.tsv
}
check "as csv, JSON lines and FASTA, also compressed" formats
bounds() {
    quietly dump a21.roost --sort --min 2 --max 3 && awk -F '\t' '$2 >= 2 && $2 <= 3' a21.tsv | cmp - out && [ -s out ] &&
        quietly dump a21.roost --min 2 && [ "$(wc -l <out)" = "$(awk -F '\t' '$2 >= 2' a21.tsv | wc -l)" ]
}
check "--min and --max" bounds
piped() {
    "$roost" dump --device "$device" --sort /dev/stdin <a21.roost | cmp - a21.tsv && "$roost" dump --device "$device" --sort - <a21.roost | cmp - a21.tsv &&
        { cat a21.roost; } | "$roost" dump --device "$device" --sort /dev/stdin | cmp - a21.tsv &&
        "$roost" count --device "$device" -q a.fna --kmer 21 --save - | "$roost" dump --device "$device" --sort - | cmp - a21.tsv &&
        "$roost" count --device "$device" a.fna --kmer 21 --save /dev/stdout 2>err | cat | "$roost" info - --verify | grep -q "all blocks are whole" && grep -q "canonical 21-mers" err
}
check "through pipes" piped
engines() {
    for engine in dycuckoo slab stadium; do
        quietly dump --sort --engine $engine a21.roost && cmp out a21.tsv && quietly count a.fna --kmer 21 -q --engine $engine --save "$engine.roost" &&
            quietly dump --sort "$engine.roost" && cmp out a21.tsv || return 1
    done
    quietly dump --sort --threads 1 --memory-limit 1G a21.roost && cmp out a21.tsv
}
check "by other engines" engines

# ---- Queries

# The k-mer and its reverse complement, and one that is absent.
read -r kmer times <<END
$(sort -t "$(printf '\t')" -k 2,2nr a21.tsv | head -n 1)
END
other=$(echo "$kmer" | rev | tr ACGT TGCA)
check "keys as arguments, of either strand and case" prints "$kmer $times;$kmer $times;$kmer $times;AAAAAAAAAAAAAAAAAAAAA 0;" \
    query a21.roost "$kmer" "$other" "$(echo "$kmer" | tr ACGT acgt)" AAAAAAAAAAAAAAAAAAAAA
all_keys() {
    quietly query a21.roost --keys a21.tsv && cmp out a21.tsv && cut -f 1 a21.tsv | "$roost" query --device "$device" a21.roost --keys - | cmp - a21.tsv &&
        cut -f 1 a40.tsv | gzip >keys.gz && quietly query a40.roost --keys keys.gz --format csv && tail -n +2 out | tr , '\t' | cmp - a40.tsv &&
        [ "$(head -n 1 out)" = key,count ]
}
check "keys of a file, plain, compressed and from a pipe" all_keys
# What each k-mer of b.fna has in a.fna, absent ones 0.
LC_ALL=C join -t "$(printf '\t')" -a 1 -e 0 -o 0,1.2,2.2 b21.tsv a21.tsv >both.tsv
sequences() {
    quietly query a21.roost --sequence b.fna && LC_ALL=C sort out | uniq -c | awk '{ print $2 "\t" $1 "\t" $3 }' | cmp - both.tsv &&
        [ "$(awk -F '\t' '$3 == 0' both.tsv | wc -l)" -gt 1000 ]
}
check "all k-mers of sequences" sequences
check "a key that is none" refuses 1 "'ACGT' is not a 21-mer of the letters A, C, G and T" query a21.roost ACGT
printf '%s\nACGTN\n' "$kmer" >bad.txt
check "a key of a file that is none" refuses 1 "bad.txt: key 2: 'ACGTN' is not a 21-mer" query a21.roost --keys bad.txt -o none.tsv
check "no keys" refuses 2 "no keys given" query a21.roost
check "two times standard input" refuses 2 "one of the files may be standard input" query - --keys -
both_strands() {
    quietly count a.fna --kmer 21 --no-canonical -q --save one.roost --top 1 && read -r kmer times <out &&
        prints "$kmer $times;" query one.roost "$kmer" && "$roost" info one.roost | grep -q "note  *counts of kmer:21$"
}
check "k-mers of one strand" both_strands

# ---- Other keys

# kind NOTED OPTION...: the keys of keys.txt are counted, dumped and asked for.
kind() {
    noted=$1
    shift
    saves keys keys.txt "$@" && quietly dump --sort keys.roost && cmp out keys.tsv && quietly query keys.roost --keys keys.tsv && cmp out keys.tsv &&
        [ "$(wc -l <keys.tsv)" = 3 ] && "$roost" info keys.roost | grep -q "note  *counts of $noted\$" || { cat err; return 1; }
}
printf '7\n18446744073709551615\n7\n0\n' >keys.txt
check "numbers" kind number --column 1
printf '7\n4294967295\n7\n0\n' >keys.txt
check "numbers of 32 bits" kind number --column 1 --as u32
printf -- '-7\n9223372036854775807\n-7\n0\n' >keys.txt
check "signed numbers" kind i64 --column 1 --as i64
check "a signed number as an argument, and an absent one" prints "-7 2;-8 0;" query keys.roost -- -7 -8
printf -- '-7\n2147483647\n-7\n0\n' >keys.txt
check "signed numbers of 32 bits" kind i32 --column 1 --as i32
printf -- '-7.25\n9.5\n-7.25\n0\n' >keys.txt
check "decimals" kind decimal:2 --column 1 --as decimal:2
printf '1zz\n0\n1ZZ\n3w5e11264sgsf\n' >keys.txt
check "base 36" kind base36 --column 1 --as base36
printf '2026-12-31\n0001-01-01\n2026-12-31\n9999-12-31\n' >keys.txt
check "dates" kind date --column 1 --as date
printf '2026-12-31T23:59:59.5\n0001-01-01T00:00\n2026-12-31 23:59:59.500Z\n9999-12-31T23:59:59\n' >keys.txt
check "times" kind datetime --column 1 --as datetime
printf 'ab\\\tx\nc\303\251\377\nab\\\ty\n\tz\n' >keys.txt
check "strings, with backslashes, bad UTF-8 and the empty one" kind text --column 1 --as string --separator tab
check "strings with escapes as arguments" prints 'cé\xff 1;ab\\ 2; 1;d 0;' query keys.roost 'c\xc3\xa9\xff' 'ab\x5c' '' d
check "an escape that is none" refuses 1 "is not a text whose escapes are" query keys.roost 'a\q'
printf 'abc\nx y\nabc\n\\\\\\\n' >keys.txt
check "texts of one width" kind text --column 1 --as bytes:3
printf 'abcdefabcxyz' >keys.txt
check "binary keys" kind hex --format bytes:3

# ---- Merging

# Each pair of a21 and b21, with awk: what OP says for a key of both.
united() {
    LC_ALL=C sort a21.tsv b21.tsv | awk -F '\t' -v OFS='\t' "\$1 == key { a = count; b = \$2; count = $1; next }
        key != \"\" { print key, count } { key = \$1; count = \$2 } END { print key, count }"
}
# unites MODE OP
unites() {
    quietly merge a21.roost b21.roost -o out.roost -q --mode "$1" && quietly dump --sort out.roost && united "$2" | cmp - out
}
check "union, add" unites add "a + b"
check "union, min" unites min "a < b ? a : b"
check "union, max" unites max "a > b ? a : b"
default_merge() {
    on merge a21.roost b21.roost -o out.roost && [ ! -s err ] && says "pairs         $(united "a + b" | wc -l)" && quietly dump --sort out.roost && united "a + b" | cmp - out
}
check "the default is the union, add" default_merge
LC_ALL=C join -t "$(printf '\t')" a21.tsv b21.tsv >both.tsv
# intersects MODE OP
intersects() {
    quietly merge a21.roost b21.roost -o out.roost -q --how intersect --mode "$1" && quietly dump --sort out.roost &&
        awk -F '\t' -v OFS='\t' "{ a = \$2; b = \$3; print \$1, $2 }" both.tsv | cmp - out && [ -s out ]
}
check "intersection, add" intersects add "a + b"
check "intersection, min" intersects min "a < b ? a : b"
check "intersection, keep" intersects keep a
check "intersection, assign" intersects assign b
subtracts() {
    quietly merge a21.roost b21.roost -o out.roost -q --how subtract && quietly dump --sort out.roost &&
        LC_ALL=C join -t "$(printf '\t')" -v 1 a21.tsv b21.tsv | cmp - out && [ -s out ]
}
check "difference" subtracts
wide() {
    for how in union intersect subtract; do
        quietly merge a40.roost b40.roost -o out.roost -q --how $how && quietly dump --sort out.roost -o "$how.tsv" || return 1
    done
    LC_ALL=C join -t "$(printf '\t')" a40.tsv b40.tsv | awk -F '\t' -v OFS='\t' '{ print $1, $2 + $3 }' | cmp - intersect.tsv &&
        LC_ALL=C join -t "$(printf '\t')" -v 1 a40.tsv b40.tsv | cmp - subtract.tsv &&
        LC_ALL=C sort -m intersect.tsv subtract.tsv >a && LC_ALL=C join -t "$(printf '\t')" -v 2 a40.tsv b40.tsv | LC_ALL=C sort -m a - | cmp - union.tsv
}
check "wide keys" wide
strings() {
    awk 'BEGIN { for (i = 0; i < 90000; i++) print (i % 3 ? "" : "a long key ") i % 50000 }' >l.txt
    awk 'BEGIN { for (i = 0; i < 90000; i++) print (i % 3 ? "" : "a long key ") i % 41000 + 20000 }' >r.txt
    saves l l.txt --column 1 --as string --separator tab && saves r r.txt --column 1 --as string --separator tab || return 1
    for how in union intersect subtract; do
        quietly merge l.roost r.roost -o out.roost -q --how $how && quietly dump out.roost -o dump.tsv && LC_ALL=C sort dump.tsv >"$how.tsv" || return 1
    done
    LC_ALL=C sort l.tsv >l && LC_ALL=C sort r.tsv >r
    LC_ALL=C join -t "$(printf '\t')" l r | awk -F '\t' -v OFS='\t' '{ print $1, $2 + $3 }' | cmp - intersect.tsv &&
        LC_ALL=C join -t "$(printf '\t')" -v 1 l r | cmp - subtract.tsv &&
        LC_ALL=C join -t "$(printf '\t')" -a 1 -a 2 -e 0 -o 0,1.2,2.2 l r | awk -F '\t' -v OFS='\t' '{ print $1, $2 + $3 }' | cmp - union.tsv
}
check "strings" strings
three() {
    quietly merge a21.roost - b21.roost -o out.roost --mode max -q --how intersect --zstd 1 <b21.roost && quietly dump --sort out.roost && cp out three.tsv &&
        quietly merge a21.roost b21.roost -o out.roost --mode max -q --how intersect && quietly dump --sort out.roost && cmp out three.tsv
}
check "three snapshots, one of them piped" three
saturates() {
    printf '5\n5\n6\n' >few.txt
    quietly count few.txt --column 1 -q --save few.roost && cp few.roost sum.roost || return 1
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32; do
        quietly merge sum.roost sum.roost -o sum.roost -q || return 1
    done
    prints "5 4294967295;6 4294967295;" dump --sort sum.roost
}
check "sums stop at the largest count, in a file that is merged with itself" saturates
quietly count a.fna --kmer 20 -q --save a20.roost
quietly count a.fna --kmer 21 -q --count-bits 64 --save wide.roost
check "k-mers of another length" refuses 1 "a20.roost: it is noted as 'counts of kmer:20 canonical', and a21.roost as 'counts of kmer:21 canonical'" \
    merge a21.roost a20.roost -o none.roost
check "counts of another width" refuses 1 "wide.roost: its values are U64, and those of a21.roost are U32" merge a21.roost wide.roost -o none.roost
check "keys of another type" refuses 1 "l.roost: its keys are strings, and those of a21.roost are U64" merge a21.roost l.roost -o none.roost
check "one snapshot" refuses 2 "merge takes two snapshots or more, or one with --changes, not 1" merge a21.roost -o none.roost
check "no output" refuses 2 "no --output given" merge a21.roost b21.roost
check "a mode of a difference" refuses 2 "--mode and --how subtract exclude each other" merge a21.roost b21.roost -o none.roost --how subtract --mode add
check "a snapshot that is compressed as a whole" refuses 2 "--zstd compresses its blocks" merge a21.roost b21.roost -o none.roost.zst
check "no snapshot" refuses 1 "a.fna: this is no snapshot" merge a21.roost a.fna -o none.roost
check "none of these wrote a file" [ ! -e none.roost ]

# ---- Changes

# The example's pages 0 ... 99999: 0 ... 3 and 10 ... 999 have 2 views, 3 ... 5 were removed, and 3 came back.
check "the example saves a table and its changes" eval '"$ROOST_BUILD_DIR/tests/snapshot_example" . >out 2>err'
awk -v OFS='\t' 'BEGIN { for (i = 0; i < 100000; i++) if (i != 4 && i != 5) print i, i < 3 || (i >= 10 && i < 1000) ? 2 : 1 }' | LC_ALL=C sort >pages.tsv
changes="--changes pages.1.roost --changes pages.2.roost"
# shellcheck disable=SC2086 # the options are words
dump_changes() { quietly dump pages.roost $changes -o dump.tsv && LC_ALL=C sort dump.tsv | cmp - pages.tsv; }
# shellcheck disable=SC2086
compacts() {
    quietly merge pages.roost $changes -o whole.roost && grep -q "pairs         99998" out && quietly dump whole.roost -o dump.tsv &&
        LC_ALL=C sort dump.tsv | cmp - pages.tsv && "$roost" info whole.roost --verify >out && says "kind          whole"
}
# shellcheck disable=SC2086
merges_changes() {
    quietly merge pages.roost pages.roost $changes -o out.roost -q --how subtract && quietly dump out.roost && [ ! -s out ] &&
        quietly merge pages.roost pages.roost $changes -o out.roost -q --how intersect && prints "10 3;" query out.roost 10
}
# shellcheck disable=SC2086
check "query, with changes" prints "0 2;3 1;4 -;5 -;10 2;1000 1;" query pages.roost $changes 0 3 4 5 10 1000
check "the first changes alone" prints "0 1;3 -;10 2;" query pages.roost --changes pages.1.roost 0 3 10
check "dump, with changes" dump_changes
check "a snapshot and its changes become one snapshot" compacts
check "changes are of the first snapshot" merges_changes
check "info tells of changes" eval '"$roost" info pages.2.roost | grep -q "^kind  *changes 2 of snapshot "'
check "changes that are left out" refuses 1 "pages.2.roost: these are changes 2, and those that follow are 1" dump pages.roost --changes pages.2.roost
check "changes of another snapshot" refuses 1 "follow another save" dump whole.roost --changes pages.1.roost
check "changes in place of a snapshot" refuses 1 "the snapshot has changes alone" dump pages.1.roost
check "a snapshot in place of changes" refuses 1 "these are no changes" dump pages.roost --changes pages.roost
check "changes that are not there" refuses 1 "none.roost" dump pages.roost --changes none.roost
check "changes and --salvage" refuses 2 "--changes and --salvage exclude each other" dump pages.roost --changes pages.1.roost --salvage
cp pages.1.roost bad.roost && printf 'x' | dd of=bad.roost bs=1 seek=5000 conv=notrunc 2>/dev/null
check "damaged changes" refuses 1 "bad.roost: block" dump pages.roost --changes bad.roost

# ---- Info

says_all() {
    "$roost" info slab.roost >out 2>err && says "format        1" "kind          whole" "keys          U64" "values        U32" \
        "pairs         $(wc -l <a21.tsv)" "engine        slab" "compressed    no" "note          counts of kmer:21 canonical" &&
        "$roost" info --json b21.roost >out && says '"compressed": true' '"note": "counts of kmer:21 canonical"' '"verified": null' &&
        "$roost" info --json --verify b21.roost >out && says '"whole": true' '"blocks_lost": 0'
}
check "info tells what the header says" says_all
check "--verify without a snapshot" ends 2 "--verify needs a snapshot" "$roost" info --verify
check "a snapshot of count and --bad null" refuses 2 "--save and --bad null exclude each other" count few.txt --column 1 --bad null --save none.roost
check "--zstd without --save" refuses 2 "--zstd compresses the blocks of --save" count few.txt --column 1 --zstd 3
check "one file for two outputs" refuses 2 "are one file" count few.txt --column 1 --save none --output none

# ---- Damage: a snapshot of several blocks

head -c 24000000 /dev/urandom >random
quietly count random --format u64le -q --save random.roost --output random.tsv
frames() { LC_ALL=C grep -obUaP '\x89roost\r$' random.roost | cut -d : -f 1; }
frames >frames
# damaged BLOCK: random.roost with a byte of this block changed.
damaged() {
    cp random.roost damaged.roost
    at=$(($(sed -n "$(($1 + 1))p" frames) + 5000))
    byte=$(dd if=damaged.roost bs=1 skip=$at count=1 2>/dev/null | od -An -tu1)
    # shellcheck disable=SC2059 # an octal escape
    printf "\\$(printf '%o' $(((byte + 1) % 256)))" | dd of=damaged.roost bs=1 seek=$at conv=notrunc 2>/dev/null
}
check "it has several blocks of pairs" [ "$(wc -l <frames)" -ge 5 ]
damaged 3
check "a damaged block is named" refuses 1 "damaged.roost: block 3 is damaged: its checksum is wrong" dump damaged.roost -o none.tsv
check "by query" refuses 1 "block 3 is damaged" query damaged.roost 5
check "by merge" refuses 1 "block 3 is damaged" merge random.roost damaged.roost -o none.roost
check "by info --verify" ends 1 "block 3 is damaged" "$roost" info --verify damaged.roost
# What the dump has is in the list of counts, which has more.
salvage() {
    on dump --salvage --sort damaged.roost -o rest.tsv
    [ $? = 3 ] && grep -q "damaged.roost: 1 blocks are damaged or missing, the first is block 3; [0-9]* pairs are lost" err || { cat err; return 1; }
    lost=$(sed -n 's/.*; \([0-9]*\) pairs are lost/\1/p' err)
    [ "$lost" -gt 1000 ] && [ $(($(wc -l <rest.tsv) + lost)) = "$(wc -l <random.tsv)" ] || return 1
    LC_ALL=C sort random.tsv >a && LC_ALL=C sort rest.tsv | LC_ALL=C comm -13 a - >new && [ ! -s new ]
}
check "--salvage dumps the other blocks, and exits with 3" salvage
salvages() {
    on query --salvage damaged.roost "$(head -n 1 rest.tsv | cut -f 1)"
    [ $? = 3 ] && [ "$(cat out)" = "$(head -n 1 rest.tsv)" ] || return 1
    on merge --salvage damaged.roost few.roost -o out.roost -q
    [ $? = 3 ] && quietly dump out.roost && [ "$(wc -l <out)" = $(($(wc -l <rest.tsv) + 2)) ] || { cat err; return 1; }
    "$roost" info --verify --salvage damaged.roost >out 2>err
    [ $? = 3 ] && says "1 of them damaged or missing" "the first damaged block is 3"
}
check "and so do query, merge and info" salvages
headers() {
    cp a21.roost damaged.roost && printf '?' | dd of=damaged.roost bs=1 seek=100 conv=notrunc 2>/dev/null
    "$roost" dump --device "$device" damaged.roost >out 2>err
    [ $? = 1 ] && grep -q "block 0 is damaged" err || return 1
    on dump --salvage --sort damaged.roost
    [ $? = 3 ] && cmp out a21.tsv
}
check "the header is there twice" headers
short() {
    head -c 9000 a21.roost >damaged.roost
    "$roost" dump --device "$device" damaged.roost >out 2>err
    [ $? = 1 ] && grep -q "damaged.roost: block 2 is cut off" err && [ ! -s out ] || return 1
    : >damaged.roost
    refuses 1 "damaged.roost: this is no snapshot" dump damaged.roost
}
check "a snapshot that is cut off" short
check "nor did these" [ ! -e none.roost ] && check "or a list" [ ! -e none.tsv ]

# ---- Other programs

jellyfish_agrees() {
    jellyfish count -m 21 -C -s 1M -o a.jf a.fna && jellyfish count -m 21 -C -s 1M -o b.jf b.fna || return 1
    jellyfish dump -c a.jf | tr ' ' '\t' | LC_ALL=C sort | cmp - a21.tsv || return 1
    jellyfish query -s b.fna a.jf | tr ' ' '\t' >wanted && quietly query a21.roost --sequence b.fna && cmp out wanted || return 1
    jellyfish merge -o ab.jf a.jf b.jf && jellyfish dump -c ab.jf | tr ' ' '\t' | LC_ALL=C sort >wanted || return 1
    quietly merge a21.roost b21.roost -o out.roost -q && quietly dump --sort out.roost && cmp out wanted
}
if command -v jellyfish >/dev/null; then check "jellyfish counts, queries and merges the same" jellyfish_agrees
else echo "# skipped: no jellyfish"; fi

# tools_agree OPERATION SUFFIX HOW MODE: of kmc_tools simple; and of roost merge.
tools_agree() {
    kmc_tools -hp simple kmc_a kmc_b "$1" kmc_out ${2:+"$2"} >/dev/null && kmc_tools -hp transform kmc_out dump kmc.txt >/dev/null || return 1
    quietly merge a21.roost b21.roost -o out.roost -q --how "$3" ${4:+--mode "$4"} && quietly dump --sort out.roost && LC_ALL=C sort kmc.txt | cmp - out && [ -s out ]
}
if command -v kmc >/dev/null && command -v kmc_tools >/dev/null; then
    for file in a b; do kmc -hp -k21 -ci1 -cs1000000 -m2 -t2 -fm $file.fna kmc_$file . >/dev/null 2>&1; done
    check "kmc_tools union -ocsum" tools_agree union -ocsum union add
    check "kmc_tools union -ocmax" tools_agree union -ocmax union max
    check "kmc_tools intersect -ocmin" tools_agree intersect -ocmin intersect min
    check "kmc_tools intersect -ocleft" tools_agree intersect -ocleft intersect keep
    check "kmc_tools kmers_subtract" tools_agree kmers_subtract "" subtract ""
else echo "# skipped: no kmc"; fi

exit $failed
