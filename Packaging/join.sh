#!/bin/sh
# Joins an operation by the invite link that a browser or another program opened, in a terminal.
printf 'Your name in the operation: '
read -r name
# By standard input: other users of this machine can read arguments for a moment.
printf '%s\n' "$1" | @BINDIR@/muster join - --callsign "$name"
printf 'Press Enter to close. '
read -r _
