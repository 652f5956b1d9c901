# Completes the command roost in bash.
_roost()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=
    local input="--kmer --column --separator --skip-blank --as --words --header --format --compression --max-line"
    local table="--batch --capacity --engine --option --device --threads --seed"
    local tune="--engine --device --width --option --threads --keys --load --hits --finds-per-insert --seed --budget --random --output"
    local output="--plot --json --verify --quiet --help"
    COMPREPLY=()
    case $previous in
    --format) words="fasta tsv csv u32le u32be u64le u64be npy bytes: arc cache2k" ;;
    --as) words="u64 u32 base36 string bytes:" ;;
    --compression) words="auto none" ;;
    --count-bits) words="32 64" ;;
    --width) words="4+4 8+8 8+4 4+8 4+0 8+0" ;;
    --device) words=$(roost info --json 2>/dev/null | sed -n '/"devices"/,/"engines"/s/.*"name": "\([^"]*\)".*/\1/p') ;;
    --engine) words=$(roost info --json 2>/dev/null | sed -n '/"engines"/,$s/.*"name": "\([^"]*\)".*/\1/p') ;;
    esac
    if [[ -z $words && $COMP_CWORD -eq 1 ]]; then
        words="count replay tune info help --help --version"
    elif [[ -z $words && $current == -* ]]; then
        case ${COMP_WORDS[1]} in
        count) words="$input $table --count-bits --top --output --unsorted --histogram $output" ;;
        replay) words="$input $table --erase-ratio $output" ;;
        tune) words="$tune --dry-run --json --quiet --help" ;;
        info) words="--json --choose --help" ;;
        esac
    elif [[ -z $words && ${COMP_WORDS[1]} == help ]]; then
        words="count replay tune info"
    fi
    if [[ -n $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
    fi
}
complete -F _roost roost
