#!/bin/sh
# `roost count`, `roost info` and `roost help` do what they document: known answers on the genome,
# every kind of input, every output.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"

# ---- The genome, whose numbers data/README.md holds

# kmers K TOTAL DISTINCT KMER TIMES
kmers() {
    succeeds "$genome" --kmer "$1" --verify --json --top 1 || return 1
    says "\"total\": $2," "\"distinct\": $3," "\"key\": \"$4\"" "\"count\": $5" '"verified": true'
}
# thorough NAME COMMAND...: one of the checks of the whole genome.  They find nothing more under a
# sanitizer, which is slow.
thorough() { [ -n "${ROOST_SANITIZE:-}" ] || sampled "$@"; }

check "1-mers of the genome" kmers 1 4641652 2 C 2357528
thorough "12-mers of the genome" kmers 12 4641641 2848222 GCCGCATCCGGC 181
thorough "16-mers of the genome" kmers 16 4641637 4513330 GCCTTATCCGGCCTAC 115
thorough "21-mers of the genome" kmers 21 4641632 4543891 ATAAGGCGTTCACGCCGCATC 81
thorough "32-mers of the genome" kmers 32 4641621 4555028 AGGCCGGATAAGGCGTTCACGCCGCATCCGGC 45
kmers_by_slabs() {
    succeeds "$genome" --kmer 12 --verify --json --top 1 --engine slab &&
        says '"total": 4641641,' '"distinct": 2848222,' '"key": "GCCGCATCCGGC"' '"count": 181' '"verified": true' '"engine": "slab"'
}

growth() {
    succeeds "$genome" --kmer 21 --engine dycuckoo --json || return 1
    steps=$(sed -n 's/.*"growth_steps": \([0-9]*\).*/\1/p' "$work/out")
    [ "$steps" -ge 5 ] || { echo "growth steps: $steps"; return 1; }
}
thorough "the table grows five times or more by itself" growth

no_growth() { succeeds "$genome" --kmer 21 --json --capacity 5000000 && says '"growth_steps": 0,' '"distinct": 4543891'; }
thorough "it does not grow with --capacity" no_growth

# The table is made for the distinct keys, which are estimated before they are counted.
# planned FILE DISTINCT: without a step of growth, and with at most 16 bytes a key and 64 MB.
planned() {
    succeeds "$1" --kmer 21 --verify --json && says "\"distinct\": $2," || return 1
    [ "$device" = host ] || return 0
    peak=$(sed -n 's/.*"bytes_peak": \([0-9]*\).*/\1/p' "$work/out")
    says '"growth_steps": 0,' && [ "$peak" -le $((16 * $2 + 64000000)) ] || { echo "bytes at the peak: $peak"; return 1; }
}
thorough "the genome's table is made in its size" planned "$genome" 4543891

# Files whose beginning is not like the rest: one key a million times before many, and many before
# it; with sizes that are far from what the first batches look like.
letters() { head -c "$1" /dev/zero | tr '\0' A; }
gzip -dc "$genome" | head -c 500000 >"$work/tenth.fna"
{ echo ">a"; letters 3000000; echo; cat "$work/tenth.fna"; } >"$work/late.fna"
{ cat "$work/tenth.fna"; printf '\n>a\n'; letters 3000000; echo; } >"$work/early.fna"
check "one key a million times before all others" planned "$work/late.fna" 488827
check "one key a million times behind all others" planned "$work/early.fna" 488827
# What cannot be read twice is not estimated.
fooled() {
    for file in "$work/late.fna" "$work/early.fna"; do
        # shellcheck disable=SC2002 # a pipe, not the file
        cat "$file" | "$roost" count --device "$device" --kmer 21 --batch 100000 --json - >"$work/out" 2>"$work/err" || return 1
        [ ! -s "$work/err" ] && says '"distinct": 488827,' || return 1
    done
}
check "the same through pipes" fooled
rm -f "$work/late.fna" "$work/early.fna" "$work/tenth.fna"

# demo FILE TOTAL DISTINCT ONCE KMER TIMES
demo() {
    succeeds "$1" --kmer 21 --batch 65536 --histogram "$work/spectrum.svg" --plot "$work/growth.svg" --output "$work/all.tsv" \
        --top 2 || return 1
    says "canonical 21-mers" "total         $2" "distinct      $3" "growth steps" "load factor" "table bytes" \
        "M keys/s in the table" "$5	$6" || return 1
    for picture in spectrum growth; do
        grep -q "<svg" "$work/$picture.svg" && grep -q "</svg>" "$work/$picture.svg" || return 1
    done
    [ "$(wc -l <"$work/all.tsv")" = "$3" ] || return 1
    [ "$(awk -F '\t' '{ sum += $2; once += $2 == 1 } END { print sum, once }' "$work/all.tsv")" = "$2 $4" ] || return 1
    LC_ALL=C sort -c -u "$work/all.tsv"
}
# several times what is read at once
gzip -dc "$genome" | head -c 500000 | gzip -1 >"$work/tenth.fna.gz"
check "report, pictures and the whole list of 21-mers of a tenth" demo "$work/tenth.fna.gz" 493737 488826 485814 ATAAGGCGTTCACGCCGCATC 18
[ -n "${ROOST_SANITIZE:-}" ] ||
    check "report, pictures and the whole list of 21-mers" demo "$genome" 4641632 4543891 4510145 ATAAGGCGTTCACGCCGCATC 81

same_list() {
    rm -f "$work/other.tsv"
    succeeds "$genome" --kmer 21 --output "$work/other.tsv" --quiet "$@" && [ ! -s "$work/out" ] &&
        cmp "$work/all.tsv" "$work/other.tsv"
}
thorough "the same list with another seed, batch and number of threads" same_list --seed 77 --batch 1000003 --threads 1
thorough "the same list with 64-bit counts and more threads than cores" same_list --count-bits 64 --threads 9
thorough "the same list by slabs" same_list --engine slab
unsorted() {
    succeeds "$work/tenth.fna.gz" --kmer 21 --output "$work/sorted.tsv" --quiet &&
        succeeds "$work/tenth.fna.gz" --kmer 21 --output "$work/unsorted.tsv" --unsorted --quiet &&
        ! cmp -s "$work/sorted.tsv" "$work/unsorted.tsv" && LC_ALL=C sort "$work/unsorted.tsv" | cmp - "$work/sorted.tsv" || return 1
    succeeds "$work/tenth.fna.gz" --kmer 21 --output "$work/both.tsv" --unsorted --verify --top 2 --quiet &&
        LC_ALL=C sort "$work/both.tsv" | cmp - "$work/sorted.tsv"
}
check "the same list in no order" unsorted
check "--unsorted without --output" ends 2 "there is none" "$roost" count "$genome" --kmer 21 --unsorted
thorough "12-mers by slabs, verified" kmers_by_slabs

# piped FILE DISTINCT: a gzip file, plain and compressed, by name, on standard input and through a
# pipe.
piped() {
    gzip -dc "$1" >"$work/genome.fna" || return 1
    succeeds "$work/genome.fna" --kmer 21 --json && says "\"distinct\": $2" || return 1
    "$roost" count --device "$device" --kmer 21 --json - <"$1" >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] &&
        says "\"distinct\": $2" || return 1
    gzip -dc "$1" | "$roost" count --device "$device" --kmer 21 --json - >"$work/out" 2>"$work/err" &&
        [ ! -s "$work/err" ] && says "\"distinct\": $2"
}
check "the same numbers of a tenth from a plain file, standard input and a pipe, no progress bar there" piped "$work/tenth.fna.gz" 488826
thorough "the same of all of it" piped "$genome" 4543891

two_files() {
    gzip -dc "$genome" >"$work/genome.fna" && succeeds "$genome" "$work/genome.fna" --kmer 21 --json --top 1 --verify &&
        says '"total": 9283264' '"distinct": 4543891' '"count": 162'
}
thorough "two files count into one table" two_files

# ---- Columns

# lists FILE OPTION...: the counts of FILE are those in $work/expected.
lists() {
    file=$1
    shift
    succeeds "$file" --verify --quiet --output "$work/list.tsv" "$@" && diff "$work/expected" "$work/list.tsv"
}

printf 'id\tvalue\n1zz\t7\n0\t18446744073709551615\n1zz\t7\n3W5E11264SGSF\t0\n' >"$work/table.tsv"
printf '0\t1\n7\t2\n18446744073709551615\t1\n' >"$work/expected"
check "a tsv column by name" lists "$work/table.tsv" --column value
check "a tsv column by number behind a header" lists "$work/table.tsv" --column 2 --header --format tsv
gzip -c "$work/table.tsv" >"$work/any-name"
check "a gzip file is known by its bytes" lists "$work/any-name" --column value
printf '0\t1\n1zz\t2\n3w5e11264sgsf\t1\n' >"$work/expected"
check "base 36 is read and written" lists "$work/table.tsv" --column id --as base36

printf 'a,"b,""c"""\r\n"x\ny",4294967295\r\n,"0"\r\n"""",4294967295' >"$work/table.csv"
printf '0\t1\n4294967295\t2\n' >"$work/expected"
check "a csv column with quotes, line ends inside, CR LF and a header name with a comma" \
    lists "$work/table.csv" --column 'b,"c"' --as u32
tail -n +2 "$work/table.csv" >"$work/body.csv"
check "the same by number" lists "$work/body.csv" --column 2 --as u32

# ---- Binary files

printf '\001\000\000\000\377\377\377\377\001\000\000\000\000\000\000\000' >"$work/words"
printf '0\t1\n1\t2\n4294967295\t1\n' >"$work/expected"
check "u32le, with the keys 0 and ~0" lists "$work/words" --format u32le
printf '0\t1\n16777216\t2\n4294967295\t1\n' >"$work/expected"
check "u32be" lists "$work/words" --format u32be
printf '1\t1\n18446744069414584321\t1\n' >"$work/expected"
check "u64le" lists "$work/words" --format u64le
printf '72057594037927936\t1\n72057598332895231\t1\n' >"$work/expected"
check "u64be" lists "$work/words" --format u64be
{
    printf '\223NUMPY\001\000\066\000'
    printf "{'descr':'<i4','fortran_order':False,'shape':(4,),}   "
    cat "$work/words"
} >"$work/words.npy"
printf -- '-1\t1\n0\t1\n1\t2\n' >"$work/expected"
check "a .npy file of signed integers" lists "$work/words.npy" --format npy
printf '\037\213\010\000' >"$work/looks-like-gzip"
printf '559903\t1\n' >"$work/expected"
check "--compression none reads what looks compressed" lists "$work/looks-like-gzip" --format u32le --compression none

: >"$work/empty"
nothing() {
    succeeds "$work/empty" --format u64le --verify --json --top 3 --output "$work/list.tsv" --histogram "$work/empty.svg" \
        --plot "$work/empty-growth.svg" && says '"total": 0' '"distinct": 0' '"top": []' && [ ! -s "$work/list.tsv" ] &&
        grep -q "</svg>" "$work/empty.svg" && grep -q "</svg>" "$work/empty-growth.svg"
}
check "an empty file has no keys, and pictures that say so" nothing

top() {
    printf '5\n3\n9\n5\n9\n1\n' >"$work/numbers"
    succeeds "$work/numbers" --column 1 --top 3 --quiet && printf '5\t2\n9\t2\n1\t1\n' | diff - "$work/out" || return 1
    succeeds "$work/numbers" --column 1 --top 100 --quiet && [ "$(wc -l <"$work/out")" = 4 ]
}
check "--top is by falling count, then by rising key" top

# ---- Output files

replaced() {
    printf 'old' >"$work/target.tsv"
    chmod 640 "$work/target.tsv"
    ln -sf target.tsv "$work/link.tsv"
    succeeds "$work/numbers" --column 1 --quiet --output "$work/link.tsv" && [ -L "$work/link.tsv" ] &&
        [ "$(wc -l <"$work/target.tsv")" = 4 ] && [ "$(stat -c %a "$work/target.tsv")" = 640 ] &&
        [ "$(find "$work" -name 'target.tsv*' | wc -l)" = 1 ]
}
check "an output file is replaced behind its link, with its mode, and nothing is left beside it" replaced

# ---- The other subcommands

info() {
    "$roost" info >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] &&
        says "devices" "  host " "engines" "  dycuckoo " "  slab " "operations" "widths" "mixed " "multimaps" || return 1
    "$roost" info --json >"$work/out" && says '"devices"' '"name": "host"' '"engines"' '"name": "dycuckoo"' '"mixes": false' '"name": "slab"' '"mixes": true' '"multi": true'
}
check "roost info, as text and JSON" info

help() {
    "$roost" help >"$work/out" && says "count" "info" && "$roost" --help >"$work/out" && says "count" &&
        "$roost" count --help >"$work/out" && says "--kmer" "--verify" "--histogram" && cp "$work/out" "$work/help" &&
        "$roost" help count >"$work/out" && cmp "$work/help" "$work/out" && "$roost" info --help >"$work/out" && says "--json" &&
        "$roost" --version >"$work/out" && says "roost " "commit  " "CUDA  " "instruction set  " && cp "$work/out" "$work/version" &&
        "$roost" -V >"$work/out" && cmp "$work/version" "$work/out"
}
check "help and version" help

# Each option of a subcommand is in the scripts of all shells, and bash completes it and its words.
completes() {
    for shell in bash zsh fish; do
        "$roost" completion $shell >"$work/completion.$shell" 2>"$work/err" && [ ! -s "$work/err" ] || return 1
    done
    for subcommand in count query merge dump group join replay tune info; do
        "$roost" $subcommand --help | grep -o -- '--[a-z][a-z-]*' | sort -u >"$work/options"
        bash -c ". '$work/completion.bash'; COMP_WORDS=(roost $subcommand --); COMP_CWORD=2; _roost
                 printf '%s\n' \"\${COMPREPLY[@]}\"" | sort -u | diff "$work/options" - || return 1
        sed 's/--//' "$work/options" | while read -r option; do
            grep -qF -- "'--$option" "$work/completion.zsh" &&
                grep -qF -- "__fish_seen_subcommand_from $subcommand' -l $option " "$work/completion.fish" || { echo "$option"; exit 1; }
        done || return 1
    done
    words=$(bash -c ". '$work/completion.bash'; COMP_WORDS=(roost count --bad s); COMP_CWORD=3; _roost; echo \"\${COMPREPLY[*]}\"")
    [ "$words" = skip ] || { echo "$words"; return 1; }
    words=$(bash -c ". '$work/completion.bash'; COMP_WORDS=(roost count --as d); COMP_CWORD=3; _roost; echo \"\${COMPREPLY[*]}\"")
    [ "$words" = "date datetime decimal:" ] || { echo "$words"; return 1; }
}
check "completion of options and their words" completes
parsed() {
    for shell in bash zsh fish; do
        command -v $shell >/dev/null || { echo "# skipped: no $shell"; continue; }
        $shell -n "$work/completion.$shell" || return 1
    done
}
check "the shells parse their scripts" parsed

# ---- Files as other programs write them; --verify reads them with other code

# lists WANTED OPTION...: counts, verifies and lists; WANTED is the list with a space for each tab
# and ";" for each line end.
lists() {
    wanted=$1
    shift
    succeeds --verify -q --output "$work/list" "$@" || return 1
    got=$(tr '\t\n' ' ;' <"$work/list")
    [ "$got" = "$wanted" ] || { echo "$got"; return 1; }
}

printf '>a\nATGATG\n' | gzip >"$work/padded.gz"
head -c 5000 /dev/zero >>"$work/padded.gz"
check "zeros behind gzip data" lists "ATC 1;ATG 2;TCA 1;" --kmer 3 "$work/padded.gz"
printf '1\n2\n1\n' >"$work/plain.tsv"
for tool in gzip bzip2 xz; do
    { $tool -c "$work/plain.tsv"; $tool -c "$work/plain.tsv"; } >"$work/twice.$tool"
    check "two members of $tool" lists "1 4;2 2;" --column 1 "$work/twice.$tool"
done
# warned TEXT OPTION...: counts and verifies, and prints one line to stderr, with this text.
warned() {
    text=$1
    shift
    count --verify "$@" || { cat "$work/err"; return 1; }
    [ "$(wc -l <"$work/err")" = 1 ] && grep -qF -- "$text" "$work/err" && return 0
    cat "$work/err"
    return 1
}
for tool in gzip bzip2; do
    { cat "$work/twice.$tool"; printf 'abc'; } >"$work/tail.$tool"
    check "bytes behind $tool data" warned "warning: $work/tail.$tool: 3 bytes behind the compressed data are left out" \
        --column 1 "$work/tail.$tool"
done
printf '"a\tb",town\n"5\tx",Oslo\n6,Oslo\n' >"$work/tab.csv"
check "a tab in a quoted header" lists "Oslo 2;" --column town --as string "$work/tab.csv"
printf 'nr;town\n1;"Bern;"\n2;Oslo\n' >"$work/semicolon.csv"
check "another separator" lists "Bern; 1;Oslo 1;" --column town --as string --separator ';' "$work/semicolon.csv"
printf 'nr\ttown\n1\t2\n' >"$work/late.tsv"
check "a tab as separator by its name" lists "2 1;" --column 2 --separator tab --header --as string "$work/late.tsv"
printf '\nnr\n4\n\n4\n\r\n' >"$work/blank.csv"
check "blank lines are skipped" lists "4 2;" --column nr --skip-blank "$work/blank.csv"
printf 'id,town\r1,Bern\r2,"Be\rrn"\r3,Bern' >"$work/mac.csv"
check "lines that end in CR alone" lists "Be\\rrn 1;Bern 2;" --column town --as string "$work/mac.csv"
printf '# made by\tx\n\n#\nnr,town\n# "\n4,Bern\n4,#\n' >"$work/comments.csv"
check "comments" lists "# 1;Bern 1;" --column town --as string --comment '#' --skip-blank "$work/comments.csv"
printf 'x\n-5\n+7\n9223372036854775807\n-9223372036854775808\n-5\n0\n' >"$work/signed.tsv"
check "signed numbers, by rising number" lists "-9223372036854775808 1;-5 2;0 1;7 1;9223372036854775807 1;" \
    --column x --as i64 "$work/signed.tsv"
printf '%s\n' x -5 2147483647 -2147483648 -5 >"$work/signed.tsv"
check "signed numbers of 32 bits" lists "-2147483648 1;-5 2;2147483647 1;" --column x --as i32 "$work/signed.tsv"
printf '%s\n' x 1.5 1.50 -0.25 3 .1 7.000 >"$work/decimals.tsv"
check "numbers with decimals" lists "-0.25 1;0.10 1;1.50 2;3.00 1;7.00 1;" --column x --as decimal:2 "$work/decimals.tsv"
printf '%s\n' day 2024-02-29 1969-12-31 2024-02-29 0001-01-01 >"$work/dates.csv"
check "dates" lists "0001-01-01 1;1969-12-31 1;2024-02-29 2;" --column day --as date "$work/dates.csv"
printf '%s\n' at 2024-02-29T12:00 "2024-02-29 12:00:00.000" 2024-02-29T13:30+01:30 1969-12-31T23:59:59.25Z >"$work/times.csv"
check "times" lists "1969-12-31T23:59:59.250000 1;2024-02-29T12:00:00 3;" --column at --as datetime "$work/times.csv"

# Records without a key, of each kind of field.
printf 'a,b\n1,-1.5\n2,x\n3\n4,2024-01-01\n\n5,7\n6,99999999999999999999\n7,2024-01-01T00:00\n' >"$work/bad.csv"
# without_key NULLS WANTED OPTION...: as lists, and with a warning that counts NULLS records.
without_key() {
    nulls=$1 wanted=$2
    shift 2
    warned "warning: $work/bad.csv: $nulls records without a key are left out; the first: line " --bad skip -q \
        --output "$work/list" --column b "$@" "$work/bad.csv" || return 1
    got=$(tr '\t\n' ' ;' <"$work/list")
    [ "$got" = "$wanted" ] || { echo "$got"; return 1; }
    warned "records without a key count as null" --bad null -q --output "$work/list" --column b "$@" "$work/bad.csv" || return 1
    got=$(tr '\t\n' ' ;' <"$work/list")
    [ "$got" = "\\N $nulls;$wanted" ] || { echo "$got"; return 1; }
}
check "numbers without a key" without_key 7 "7 1;"
check "signed numbers without a key" without_key 7 "7 1;" --as i64
check "decimals without a key" without_key 6 "-1.5 1;7.0 1;" --as decimal:1
check "dates without a key" without_key 7 "2024-01-01 1;" --as date
check "times without a key" without_key 7 "2024-01-01T00:00:00 1;" --as datetime
check "strings without a key" without_key 2 "-1.5 1;2024-01-01 1;2024-01-01T00:00 1;7 1;99999999999999999999 1;x 1;" --as string
check "bytes without a key" without_key 6 "7 1;x 1;" --as bytes:1
nulls_in_top() {
    printf 'x\n7\n7\n5\ny\n3\n' >"$work/top.tsv"
    count --column 1 --bad null --top 2 -q "$work/top.tsv" && [ "$(tr '\t\n' ' ;' <"$work/out")" = "\\N 2;7 2;" ] || { cat "$work/out"; return 1; }
    count --column 1 --bad null --top 9 --json "$work/top.tsv" && says '"left_out": 2,' '"key": null,' '"total": 4,' || return 1
    count --column 1 --bad skip "$work/top.tsv" && says "left out      2 records without a key"
}
check "records without a key among the most frequent" nulls_in_top
printf 'a,2000,=x\n1,13,5\n2,14,6\n' >"$work/years.csv"
check "a column whose name is a number" lists "13 1;14 1;" --column =2000 "$work/years.csv"
check "a column whose name begins with =" lists "5 1;6 1;" --column ==x "$work/years.csv"
printf '\357\273\277>a\nATGA\n' >"$work/mark.fa"
: >"$work/empty.fa"
check "FASTA with a byte order mark, and empty FASTA" lists "ATG 1;TCA 1;" --kmer 3 "$work/mark.fa" "$work/empty.fa"
printf '@q1 len=12\nCATCATGG\nTACA\n+\nIIII@III\n>III\n\n@q2\nNCATGACCATCA\n+\n@@@@IIIIIIII\n' >"$work/reads.fq"
check "FASTQ of several lines" lists "ACA 1;ACC 2;ATC 2;ATG 6;CCA 2;GAC 1;GTA 2;TCA 3;" --kmer 3 "$work/reads.fq"
printf '\n \t>a\nCGTG\n  >b\nCGT\n' >"$work/blanks.fa"
check "blanks before the headers of FASTA" lists "ACG 2;CAC 1;" --kmer 3 "$work/blanks.fa"
check "k-mers as they stand" lists "CGT 2;GTG 1;" --kmer 3 --no-canonical "$work/blanks.fa"
awk 'BEGIN { print ">a"; for (i = 0; i < 33; i++) printf "T"; print "C" }' >"$work/long.fa"
long_a=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
check "k-mers of 33 letters" lists "$long_a 1;G${long_a#A} 1;" --kmer 33 "$work/long.fa"
check "k-mers of 34 letters as they stand" \
    lists "$(echo $long_a | tr A T)C 1;" --kmer 34 --no-canonical "$work/long.fa"
printf '\357\273\277ab \357c' >"$work/mark.txt"
check "words behind a byte order mark" lists "ab 1;\\xefc 1;" --words "$work/mark.txt"
printf '\223NUMPY\001\000\071\000%s\001\377\377' "{'descr':'|u1','fortran_order':True,'shape':(3,),}       " >"$work/u1.npy"
check "npy of bytes" lists "1 1;255 2;" --format npy "$work/u1.npy"
printf '\223NUMPY\001\000\071\000%s\001\000\371\377' "{'descr':'<i2','fortran_order':False,'shape':(2,),}      " >"$work/i2.npy"
check "npy of signed words" lists "-7 1;1 1;" --format npy "$work/i2.npy"
printf '\223NUMPY\001\000\074\000%s\000\001\001' "{'descr': '|b1', 'fortran_order': False, 'shape': (3L,), }  " >"$work/b1.npy"
check "npy of bool" lists "0 1;1 2;" --format npy "$work/b1.npy"
printf '\223NUMPY\001\000\074\000%sab\000a\000\000ab\000' "{'descr': '|S3', 'fortran_order': False, 'shape': (3, 1)}   " >"$work/s3.npy"
check "npy of bytes, as strings" lists "a 1;ab 2;" --format npy "$work/s3.npy"

exit $failed
