# Counts the single tests in what ctest wrote.
# usage: awk -f count-results.awk SUMMARY LOG     (what `ctest -O SUMMARY` wrote, and its Testing/Temporary/LastTest.log)
# They are each cmocka test, each `ok` or `not ok` line of a shell test, and one for a program that printed neither.
# A program that failed without naming a failed test counts as one failure.  Ends with `N passed, N failed`; exit status 1 if
# any failed or none ran.

function finish(passed) {
    if (name == "") return
    if (name in was_skipped) {
        skipped++
    } else if (!passed) {
        if (bad == 0) bad = 1
    } else if (ok == 0 && bad == 0 && skipped == 0) {
        ok = 1
    }
    if (bad > 0) failures = failures "  " name " (" bad ")\n"
    all_ok += ok; all_bad += bad; all_skipped += skipped
    name = ""
}

# The number after the last "]" of a line of cmocka's summary, such as "[  FAILED  ] 2 test(s), listed below:".
function tests_in(line) { sub(/.*\] /, "", line); return line + 0 }

FNR == NR { if ($0 ~ /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: .*\*\*\*Skipped/) { sub(/.*#[0-9]+: /, ""); was_skipped[$1] = 1 } next }

/^[0-9]+\/[0-9]+ Testing: / { finish(0); name = $3; ok = bad = skipped = in_output = 0; next }
/^Output:$/ { in_output = 1 }
/^<end of output>$/ { in_output = 0 }
/^Test Passed\.$/ { finish(1) }
/^Test (Failed|Not Run)/ { finish(0) }
!in_output { next }

# Other text may precede cmocka's words on the line.
/\[       OK \] / { ok++ }
/\[  SKIPPED \] [0-9]+ test\(s\)/ { skipped += tests_in($0) }
/\[  FAILED  \] [0-9]+ test\(s\)/ { bad += tests_in($0) }
/^ok / { ok++ }
/^not ok / { bad++ }

END {
    finish(0)
    if (failures != "") printf "failed in:\n%s", failures
    if (all_skipped > 0) printf "%d skipped\n", all_skipped
    printf "%d passed, %d failed\n", all_ok, all_bad
    exit (all_bad > 0 || all_ok == 0)
}
