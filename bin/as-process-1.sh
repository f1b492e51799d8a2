#!/bin/sh
# Runs a command below the first process of a container: sh as-process-1.sh COMMAND ARGUMENTS...
# This shell stays the first process. It passes on the signals that stop a server, and collects every process that has
# lost its parent: in a container these become children of the first process, and Node collects only those that it has
# started itself. Elsewhere the script does no harm. It ends with the exit code of the command.
child=
heard=
pass() {
  heard=$1
  [ -n "$child" ] || return 0
  # Until the child runs the command, it is a copy of this shell, and would drop the signal.
  tries=20
  while [ "/proc/$child/exe" -ef "/proc/$$/exe" ] && [ "$tries" -gt 0 ]; do
    tries=$((tries - 1))
    sleep 0.01
  done
  kill -s "$1" "$child" 2>/dev/null
}
for signal in HUP INT QUIT TERM USR2 PWR; do trap "pass $signal" "$signal" 2>/dev/null; done
trap '' USR1 # a trap with a command would end `wait`, and with it the container
"$@" &
child=$!
[ -z "$heard" ] || pass "$heard" # it came before the number of the child was known

# A signal ends `wait`, so it is called again until no signal has come. It then answers 127 when it has already said
# how the command has ended.
code=127
while :; do
  heard=
  wait "$child"
  said=$?
  [ "$said" -eq 127 ] || code=$said
  [ -n "$heard" ] || exit "$code"
done
