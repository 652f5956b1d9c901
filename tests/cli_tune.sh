#!/bin/sh
# `roost tune` writes a profile that later tables use: `roost count` names the kernels of the
# profile, also after it was edited.  A kernel that this build lacks causes a warning and right
# counts.  If a profile cannot be written, the command says so before it measures.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
cd "$work" || exit 1
export ROOST_PROFILES="$work/profiles"
profile=$ROOST_PROFILES/host.profile
device=host # its profile can be tested everywhere
awk 'BEGIN { for (i = 0; i < 5000; i++) print i * 7919 % 1009 }' >keys.tsv

# tune OPTION...: a short run on the host exits 0 and prints nothing to stderr.
tune() {
    "$roost" tune --engine gph --device host --keys 20000 --budget 2 --random 5 "$@" >out 2>err && [ ! -s err ] && return 0
    cat err
    return 1
}

# counted OPTION...: `roost count` of the keys in an engine's table of 4-byte keys, as verified
# JSON.
counted() { count --column 1 --as u32 --engine gph --json --verify "$@" keys.tsv && says '"distinct": 1009' '"verified": true'; }

# find_kernel NAME: the last count's kernel of finds.
find_kernel() { says "\"find\": \"$1\""; }

# fails CODE TEXT ARGUMENT...: `roost ARGUMENT...` ends with this code and one line with this text,
# and prints nothing else.
fails() {
    expected=$1
    text=$2
    shift 2
    "$roost" "$@" >out 2>err
    code=$?
    [ "$code" = "$expected" ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$text" err && [ ! -s out ] && return 0
    echo "exit $code; expected $expected and one line with: $text"
    cat out err
    return 1
}

# ---- A run, and the profile that it wrote

writes_a_profile() {
    tune || return 1
    says 'engine        gph, 4+4 bytes, on host (host)' 'search        ' 'random        ' '(defaults)' "profile       $profile" || return 1
    [ "$(head -n 2 "$profile")" = "$(printf 'roost profile 1\ndevice host')" ] &&
        grep -qE '^gph 4\+4 .*(find=|index=[sr]).*fill=.*refine=' "$profile" && ! grep -q staged "$profile"
}
check "a run writes a profile" writes_a_profile

# The kernel in the profile, whichever it is; finds that copy the index have their own.
profile_is_used() {
    counted || return 1
    kernel=$(sed -n 's/^gph 4+4 .*find=\([a-z0-9]*\).*/\1/p' "$profile")
    ! grep -qE '^gph 4\+4 .*index=(shared|routed)' "$profile" || kernel='staged[0-9]+'
    [ ! -s err ] && grep -qE "\"find\": \"find_k4v4(s[0-9]+)?_$kernel\"" out && says "\"profile\": \"$profile\""
}
check "a table is made by it" profile_is_used

# A kernel that no option names is reported, but is not written into a profile.
nameless() {
    tune --option index=shared --budget 0 --random 0 && grep -q '(defaults) *find=staged2,' out && ! grep -q staged "$profile" &&
        grep -q '^gph 4+4 index=shared,fill=.*refine=' "$profile" && counted && [ ! -s err ] && find_kernel find_k4v4_staged2
}
check "what tables run by themselves is left out of it" nameless

# fixed_are OPTIONS NAME...: no setting of the last report has one of these names, and the profile's
# line begins with the options.
fixed_are() {
    line=$1
    shift
    for name; do ! sed -n '/"settings": \[/,/^  *\],/p' out | grep -E "\"options\": \"(.*,)?$name=" || return 1; done
    grep -qE "^gph 4\+4 $line(,|\$)" "$profile"
}
fixed() {
    tune --json --option keys=9,flagged=0.05 --option virtual=16 && fixed_are keys=9,flagged=0.05,virtual=16 keys virtual flagged &&
        says '"fixed": "keys=9,flagged=0.05,virtual=16"' && counted && [ ! -s err ] &&
        says '"options": "keys=9,flagged=0.05,virtual=16' || return 1
    tune --json --option find=tile2 && fixed_are find=tile2 find && [ "$(grep -c '"find": "find_k4v4[s0-9]*_tile2"' out)" -gt 1 ] &&
        ! grep -E '"find": "find_k4v4[s0-9]*_(once|lane|cooperative)' out || return 1
    tune --json --option slots=8,index=global,driver=tile && fixed_are slots=8,index=global,driver=tile slots index find fill refine && counted && find_kernel find_k4v4_tile2
}
check "what --option says is not searched, and is in the profile" fixed

edited() {
    printf 'roost profile 1\n# by hand\ngph 4+4 keys=6,find=tile4\nslab 4+4 memory=light\n' >"$profile"
    counted && find_kernel find_k4v4_tile4 && says '"options": "keys=6,find=tile4"' || return 1
    sed -i s/tile4/lane1/ "$profile"
    counted && find_kernel find_k4v4_lane1 && [ ! -s err ]
}
check "an edited profile gives other kernels" edited

options_win() { counted --option find=tile2 --option keys=7 && find_kernel find_k4v4_tile2 && says '"options": "find=tile2,keys=7"'; }
check "options go before it" options_win

switched_off() {
    counted --option profile=none && find_kernel find_k4v4_once2 && says '"profile": "none"' || return 1
    ROOST_PROFILES=none counted && find_kernel find_k4v4_once2 && says '"profile": "none"'
}
check "it can be switched off" switched_off

keeps_other_lines() {
    tune --quiet || return 1
    [ ! -s out ] && [ "$(grep -c '^gph 4+4 ' "$profile")" = 1 ] && [ "$(head -n 2 "$profile")" = "$(printf 'roost profile 1\n# by hand')" ] &&
        [ "$(tail -n 1 "$profile")" = "slab 4+4 memory=light" ] && [ "$(wc -l <"$profile")" = 4 ]
}
check "a second run keeps the other lines" keeps_other_lines

# ---- Kernels that this build lacks

lacking() {
    printf 'roost profile 1\ngph 4+4 find=tile32,nosuch=1\n' >"$profile"
    counted && find_kernel find_k4v4_once2 && [ "$(wc -l <err)" = 1 ] && grep -q 'count: warning: .*are ignored: .*nosuch' err || return 1
    printf 'roost profile 1\ngph 4+4 find=cooperative1\n' >"$profile"
    counted && find_kernel find_k4v4_cooperative2 && [ "$(wc -l <err)" = 1 ] &&
        grep -q 'count: warning: .*this build lacks .*find=cooperative1 .*: it uses .*find_k4v4_cooperative2' err
}
check "a kernel that this build lacks is replaced by the nearest, with a warning" lacking

# ---- JSON

json_lists() {
    rm -r "$ROOST_PROFILES"
    tune --json --dry-run --option flagged=0.05 --budget 60 || return 1 # a build that counts is slow
    [ ! -e "$ROOST_PROFILES" ] || return 1
    says '"settings": [' '"commit": "' '"options": ""' '"objective_ns":' '"profile": null' '"space":' || return 1
    n=$(grep -c '"options":' out)
    [ "$n" -gt 7 ] && [ "$(grep -c '"finds_per_second":' out)" = $((n - 2)) ] &&
        [ "$(grep -cE '"find": "find_k4v4[a-z0-9]*_[a-z]+[0-9]+"' out)" = $((n - 2)) ]
}
check "--json lists each setting with its rates and kernels" json_lists

other_engines() {
    for engine in dycuckoo slab fks; do
        for width in 4+4 8+0; do
            "$roost" tune --engine $engine --device host --keys 5000 --budget 1 --random 3 --width $width --output "$work/more" >out 2>err ||
                return 1
        done
    done
    [ "$(grep -cE '^(dycuckoo|slab|fks) (4\+4|8\+0) [a-z]' more)" = 6 ] && [ "$(wc -l <more)" = 8 ]
}
# Wide keys: each width has its own line, and tables of that width use it.
wide_keys() {
    for width in 16+4 16+4 5+0 128+4096; do
        "$roost" tune --engine stadium --device host --keys 1000 --budget 1 --random 2 --width $width --option ticket=4 \
            --output "$work/wide/host.profile" >out 2>err || return 1
    done
    [ "$(grep -cE '^stadium (16\+4|5\+0|128\+4096) ticket=4' wide/host.profile)" = 3 ] && [ "$(wc -l <wide/host.profile)" = 5 ] || return 1
    head -c 1600 "$genome" >keys.bin
    for form in 16:4 20:auto; do
        ROOST_PROFILES=$work/wide "$roost" count --device host --format "bytes:${form%:*}" --compression none keys.bin --json >out 2>err || return 1
        case $form in
        16:*) grep -q '"options": "ticket=4' out || return 1 ;;
        *) ! grep -q '"options": ".*ticket=4' out || return 1 ;;
        esac
    done
}
mkdir "$work/wide"
check "wide keys, whose line is for tables of that width" wide_keys
check "other engines and widths, into a file of one's own" other_engines

# ---- Profiles that cannot be written

refusals() {
    fails 2 "no engine given" tune &&
        fails 1 'there is no engine "nosuch"' tune --engine nosuch &&
        fails 2 "--width is the bytes of a key, 1 to 128" tune --engine gph --width "" &&
        fails 2 "--width is the bytes of a key, 1 to 128" tune --engine gph --width 4 &&
        fails 2 "--width is the bytes of a key, 1 to 128" tune --engine gph --width 0+4 &&
        fails 2 "--width is the bytes of a key, 1 to 128" tune --engine gph --width 129+4 &&
        fails 2 "--width is the bytes of a key, 1 to 128" tune --engine gph --width 4+4097 &&
        fails 2 "--width is the bytes of a key, 1 to 128" tune --engine gph --width 4+4+4 &&
        fails 1 "--width 3+4: settings are measured with keys of 4 to 128 bytes" tune --engine stadium --width 3+4 &&
        fails 1 "--width string+4: settings are measured with keys of 4 to 128 bytes, not with shorter ones or strings" \
            tune --engine stadium --width string+4 &&
        fails 1 "stadium" tune --engine gph --width 16+8 --device host &&
        fails 2 "--load is a number from 0.05 to 1" tune --engine gph --load 1.1 &&
        fails 2 "--budget is a number" tune --engine gph --budget -1 &&
        fails 2 "--option is NAME=VALUE" tune --engine gph --option x &&
        fails 2 "settings are measured without profiles" tune --engine gph --option profile=auto &&
        fails 2 "settings are measured without profiles" tune --engine gph --budget 0 --random 0 --option keys=9,profile=none &&
        fails 1 "option flagged= 0.5: no such value" tune --engine gph --device host --budget 0 --random 0 --option "flagged= 0.5" &&
        fails 2 "too many for a profile" tune --engine gph --option "keys=$(printf %0300d 6)" &&
        fails 2 "exclude each other" tune --engine gph --dry-run --output x &&
        fails 2 "is unexpected" tune --engine gph x &&
        fails 1 'no option "nosuch"' tune --engine gph --device host --option nosuch=1
}
check "wrong options" refusals

# gph's tables of four slots with six keys to a cell have grown long before.
unreached() {
    rm -f "$profile"
    for how in "" --dry-run; do
        # shellcheck disable=SC2086
        fails 1 "none of 1 settings reaches load 0.9: the fullest table had 0." tune --engine gph --device host --keys 20000 --budget 0 --random 0 \
            --load 0.9 --option slots=4,keys=6 $how && [ ! -e "$profile" ] || return 1
    done
}
check "a load that no setting reaches" unreached

no_place() {
    printf 'other things\n' >"$work/other"
    fails 1 "this is not a profile" tune --engine gph --device host --output "$work/other" || return 1
    [ "$(cat "$work/other")" = "other things" ] || return 1
    printf 'roost profile 1\ndevice NVIDIA H200\n' >"$work/other"
    fails 1 "this profile is for another device" tune --engine gph --device host --output "$work/other" || return 1
    ROOST_PROFILES=none fails 1 "no folder for profiles" tune --engine gph --device host || return 1
    : >"$work/file"
    ROOST_PROFILES=$work/file fails 1 "$work/file" tune --engine gph --device host
}
check "a file that is not a profile stays, and a missing folder is an error" no_place

# /proc takes no files, not even root's.
read_only() {
    ROOST_PROFILES=/proc/roost fails 1 "/proc/roost: cannot make this folder" tune --engine gph --device host &&
        fails 1 "/proc/host.profile: cannot write" tune --engine gph --device host --output /proc/host.profile || return 1
    [ "$(id -u)" = 0 ] && return 0
    mkdir "$work/locked" && chmod a-w "$work/locked" &&
        ROOST_PROFILES=$work/locked fails 1 "$work/locked/host.profile: cannot write" tune --engine gph --device host
}
check "a read-only folder" read_only

interrupted() {
    find "$work" -name '*.profile.*' -o -name 'other.*' | grep . && return 1
    return 0
}
check "no temporary file is left" interrupted

exit $failed
