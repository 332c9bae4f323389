#!/usr/bin/env bash
# What action.yml runs: planlock check, run or verify, then what GitHub shows of it. It ends with the status of planlock,
# or with 0 where that is one of PLANLOCK_ALLOW. It uploads nothing.
set -uo pipefail

args=()
while IFS= read -r line; do
  [ -z "$line" ] || args+=("$line")
done <<<"${PLANLOCK_ARGS:-}"
junit=$RUNNER_TEMP/planlock-junit.xml sarif=$RUNNER_TEMP/planlock.sarif

# What plans and programs print is no command for the runner.
silence=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
quietly() {
  echo "::stop-commands::$silence"
  "$@"
  local status=$?
  echo "::$silence::"
  return $status
}

report() { planlock report --dir "$PLANLOCK_DIR" --format "$@"; }

case $PLANLOCK_COMMAND in
check)
  quietly planlock check "$PLANLOCK_PLAN" ${args[@]+"${args[@]}"}
  status=$?
  planlock check "$PLANLOCK_PLAN" ${args[@]+"${args[@]}"} --format github-annotations
  planlock check "$PLANLOCK_PLAN" ${args[@]+"${args[@]}"} --format sarif >"$sarif"
  ;;
run | verify)
  if [ "$PLANLOCK_COMMAND" = run ]; then
    quietly planlock run "$PLANLOCK_PLAN" --dir "$PLANLOCK_DIR" ${args[@]+"${args[@]}"}
  else
    quietly planlock verify --dir "$PLANLOCK_DIR" ${args[@]+"${args[@]}"}
  fi
  status=$?
  # What was refused before it began has no report: the latest one is that of another run.
  case $PLANLOCK_COMMAND$status in run[246]) began= ;; *) began=yes ;; esac
  if [ -n "$began" ] && report github-summary >>"$GITHUB_STEP_SUMMARY"; then
    report github-annotations
    report sarif -o "$sarif"
    report junit -o "$junit" && echo "junit=$junit" >>"$GITHUB_OUTPUT"
  fi
  ;;
*)
  echo "::error::planlock: command is check, run or verify"
  exit 2
  ;;
esac
[ ! -e "$sarif" ] || echo "sarif=$sarif" >>"$GITHUB_OUTPUT"
echo "status=$status" >>"$GITHUB_OUTPUT"
for allowed in ${PLANLOCK_ALLOW:-}; do
  [ "$status" != "$allowed" ] || exit 0
done
exit "$status"
