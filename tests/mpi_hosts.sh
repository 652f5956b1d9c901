#!/bin/sh
# An MPI job over three hosts answers as one process does.  If one of them is cut off, every rank
# gives up, and a job of the command ends and changes no file.
#
# The hosts are network namespaces with a name and an address each, and cables to a switch.  They
# are made inside of namespaces of this script's own, in which all of its processes run.  So nothing
# of them is left when it ends, however it ends.
set -u
: "${ROOST_BUILD_DIR:?}" "${ROOST_BIN:?}" "${ROOST_SOURCE_DIR:?}"
ranks=$ROOST_BUILD_DIR/tests/mpi_ranks
skip() { echo "$*"; exit 77; }
if [ "${1:-}" != inside ]; then
    [ -x "$ranks" ] && command -v mpirun >/dev/null || skip "no MPI here"
    mpirun --version | grep -q 'Open MPI) 4\.' || skip "no Open MPI 4 here, whose parameters this sets"
    for tool in ip unshare nsenter hostname; do command -v $tool >/dev/null || skip "no $tool here"; done
    own="--net --mount --pid --fork --kill-child --mount-proc"
    [ "$(id -u)" = 0 ] || own="$own --user --map-root-user"
    # shellcheck disable=SC2086
    unshare $own sh -c 'mount -t tmpfs none /run && ip netns add host && ip link add cable type veth peer name other &&
        ip link add switch type bridge' || skip "no namespaces, cables or switches of our own here"
    # shellcheck disable=SC2086
    exec unshare $own sh "$0" inside
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

check() {
    name=$1
    shift
    if "$@"; then
        printf 'ok - %s\n' "$name"
    else
        cat "$work/out" "$work/err"
        printf 'not ok - %s\n' "$name"
        failed=1
    fi
}

# ---- Hosts

network=10.77.0
host_make() {
    ip netns add "host$1" && ip link add "cable$1" type veth peer name eth0 netns "host$1" &&
        ip link set "cable$1" master switch up && ip -n "host$1" link set lo up &&
        ip -n "host$1" addr add "$network.$1/24" dev eth0 && ip -n "host$1" link set eth0 up
}
mount -t tmpfs none /run && ip link set lo up && ip link add switch type bridge && ip link set switch up || exit 1
for i in 1 2 3; do
    host_make $i || exit 1
    echo "$network.$i slots=2"
done >"$work/hosts"

# enter ADDRESS WORD...: runs a command, in the shell's words, on this host.  Open MPI calls it in
# place of ssh.
cat >"$work/enter" <<'END'
#!/bin/sh
host=host${1##*.}
shift
exec nsenter --net="/run/netns/$host" unshare --uts sh -c 'hostname "$0"; eval "exec $*"' "$host" "$@"
END
chmod +x "$work/enter"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR="$work"
export OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent="$work/enter" OMPI_MCA_btl=tcp,self OMPI_MCA_hwloc_base_binding_policy=none
# Open MPI 4 may crash where it shares what it knows of the machine.
export OMPI_MCA_rtc_hwloc_vmhole=none
export OMPI_MCA_btl_tcp_if_include=$network.0/24 OMPI_MCA_oob_tcp_if_include=$network.0/24 OMPI_MCA_mpi_yield_when_idle=1

# job SECONDS N COMMAND...: starts it from the first host, with the ranks dealt out to all of them.
job() {
    seconds=$1 n=$2
    shift 2
    "$work/enter" "$network.1" timeout -k 5 "$seconds" mpirun --hostfile "$work/hosts" --map-by node -n "$n" "$@" \
        >"$work/out" 2>"$work/err"
}

# ---- Answers

three_names() { job 60 3 uname -n && [ "$(sort "$work/out" | tr '\n' ' ')" = "host1 host2 host3 " ]; }
check "a rank on each host" three_names
right() { job 60 "$1" "$ranks" && grep -q "^$1 ranks: right$" "$work/out"; }
for n in 3 6; do check "$n ranks on three hosts" right $n; done

zcat "$ROOST_SOURCE_DIR/data/GCF_000005845.2_ASM584v2_genomic.fna.gz" | head -c 300000 >"$work/genome.fna"
counts() {
    "$ROOST_BIN" count --device host -q --kmer 21 --output "$work/one" "$work/genome.fna" &&
        job 60 6 "$ROOST_BIN" count --device host -q --kmer 21 --output "$work/several" "$work/genome.fna" &&
        cmp "$work/one" "$work/several"
}
replays() {
    job 60 6 "$ROOST_BIN" replay --device host --kmer 21 --batch 40000 --verify "$work/genome.fna" &&
        grep -q "^verified" "$work/out"
}
command=$(ldd "$ROOST_BIN" | grep libmpi)
if [ -n "$command" ]; then
    check "the command counts on three hosts" counts
    check "the command replays on three hosts" replays
fi

# ---- A host that is cut off

# running NAME: how many processes of the command NAME there are, on all hosts.
running() { pgrep -c -f "^$1"; }

# within SECONDS COMMAND...: the command succeeds before.
within() {
    tries=$1
    shift
    while ! "$@"; do
        [ "$tries" -gt 0 ] || return 1
        tries=$((tries - 1))
        sleep 1
    done
}

unplug() { ip link set cable3 down; }
# The hosts remember for a while that they did not find each other.
plug() {
    ip link set cable3 up
    for i in 1 2 3; do ip -n host$i neigh flush all; done
    within 10 job 20 3 true
}

# Without help of mpirun, which notices minutes later.
all_gave_up() { [ "$(cat "$work"/rank.* 2>/dev/null)" = "gave up
gave up
gave up" ]; }
give_up() {
    job 60 3 "$ranks" cut "$work" &
    started=$!
    within 20 test -e "$work/rank.0" || return 1
    unplug
    within 20 all_gave_up
    result=$?
    pkill -KILL -f "$work" # mpirun, its daemons and the ranks
    wait $started
    return $result
}
check "ranks of a host that is cut off give up, and so do the others" give_up

# mpirun looks after 5 seconds of silence, and ends the job after three more.
export OMPI_MCA_oob_tcp_keepalive_time=5 OMPI_MCA_oob_tcp_keepalive_intvl=1 OMPI_MCA_oob_tcp_keepalive_probes=3
all_run() { [ "$(running "$ROOST_BIN")" = 3 ]; }
none_runs() { [ "$(running "$ROOST_BIN")" = 0 ]; }
# Batches of one key keep the ranks busy for longer than that.
cut() {
    plug || return 1
    mkdir -p "$work/here" && echo old >"$work/here/old" || return 1
    job 40 3 "$ROOST_BIN" "$@" "$work/here/old" --device host -q --kmer 21 --batch 1 "$work/genome.fna" &
    started=$!
    within 20 all_run || return 1
    sleep 2
    unplug
    wait $started
    code=$?
    within 20 none_runs
    ended=$?
    [ $code != 0 ] && [ $code != 124 ] && [ $code != 137 ] && [ $ended = 0 ] && [ "$(ls -A "$work/here")" = old ] &&
        [ "$(cat "$work/here/old")" = old ] && return 0
    echo "exit code $code, $(running "$ROOST_BIN") ranks are left; $(ls -A "$work/here")"
    return 1
}
if [ -n "$command" ]; then
    check "a count ends when a host is cut off, and the old output stays" cut count --output
    check "a replay ends when a host is cut off, and the old output stays" cut replay --plot
fi
exit $failed
