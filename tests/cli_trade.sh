#!/bin/sh
# `roost group` and `roost join` on tables like those of TPC-H (bench/trade-tables): awk, sort and
# join(1) agree with them, and so does --verify.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
command -v python3 >/dev/null || { echo "no python3 to make the tables"; exit 77; }
"$ROOST_SOURCE_DIR/bench/trade-tables" --scale 0.004 "$work" || exit 1
cd "$work" || exit 1
LC_ALL=C
export LC_ALL

# verified VERB OPTION...: runs it with --verify; the output is in $work/out.
verified() {
    verb=$1
    shift
    "$roost" "$verb" --device "$device" -q --verify "$@" >out 2>err && [ ! -s err ] || { cat err; return 1; }
}

segments() {
    verified group customer.csv --by nation,segment --count --distinct balance || return 1
    awk -F, 'NR > 1 { n[$3 "," $4]++; if ($5 != "" && !met[$3, $4, $5]++) d[$3 "," $4]++ }
        END { for (k in n) print k "," n[k] "," d[k] + 0 }' customer.csv | sort >a
    tail -n +2 out | sort | cmp - a
}
check "groups by two columns, and different balances" segments

modes() {
    verified group lineitem.csv --by mode --count --sum quantity --min quantity --max quantity || return 1
    awk -F, 'NR > 1 { n[$9]++; s[$9] += $4; if (!($9 in low) || $4 < low[$9]) low[$9] = $4; if ($4 > high[$9]) high[$9] = $4 }
        END { for (k in n) print k "," n[k] "," s[k] "," low[k] "," high[k] }' lineitem.csv | sort >a
    tail -n +2 out | sort | cmp - a
}
check "few groups with many rows, one of them NULL" modes

comments() {
    verified group orders.csv --by comment --count --output comments.csv || return 1
    "$roost" group comments.csv --by comment --sum count --json --output none.csv >a && ! grep -q '"rows": 6000' a &&
        "$roost" group orders.csv --by comment --json --output none.csv | grep -q '"rows": 6000'
}
check "keys with quotes, separators and line ends" comments

orders_of_customers() {
    for how in inner left full semi anti; do verified join customer.csv orders.csv --on custkey --how $how --output $how.csv || return 1; done
    "$roost" group inner.csv --by custkey --count -q | tail -n +2 | sort >a
    "$roost" group orders.csv --by custkey --count -q | tail -n +2 | sort | cmp - a && [ "$(wc -l <semi.csv)" = "$(wc -l <a | awk '{ print $1 + 1 }')" ] &&
        [ $(($(wc -l <semi.csv) + $(wc -l <anti.csv))) = $(($(wc -l <customer.csv) + 1)) ]
}
check "orders of customers: each kind of join" orders_of_customers

items_of_orders() {
    verified join lineitem.csv orders.csv --on orderkey --output items.csv || return 1
    "$roost" group items.csv --by status --count --sum quantity -q >a
    awk -F, 'NR > 1 && /^[0-9]+,[0-9]+,[FO],/ { print $1 "," $3 }' orders.csv | sort >status
    tail -n +2 lineitem.csv | awk -F, '{ print $1 "," $4 }' | sort | join -t, - status |
        awk -F, '{ n[$3]++; s[$3] += $2 } END { for (k in n) print k "," n[k] "," s[k] }' | sort >b
    tail -n +2 a | cmp - b
}
check "items of orders, which are grouped then" items_of_orders

exit $failed
