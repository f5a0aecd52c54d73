#!/bin/sh
# Writes a backup of the running server, encrypted with age for AGE_RECIPIENT, into BACKUPS, and then deletes backups
# that are older than KEEP_DAYS days. Run it in the folder of Throughline.
set -eu
umask 077
: "${AGE_RECIPIENT:?Set AGE_RECIPIENT to the line of age-keygen that begins with age1}"
: "${BACKUPS:?Set BACKUPS to the folder for backups}"
keep_days=${KEEP_DAYS:-30}

fail() {
  echo "$1" >&2
  exit 1
}
case $AGE_RECIPIENT in
  age1*) ;;
  *) fail 'AGE_RECIPIENT must begin with age1: it is the public part of the key. The secret part must not be on this machine.' ;;
esac
case $keep_days in
  '' | *[!0-9]*) fail 'KEEP_DAYS must be a number of days.' ;;
esac
command -v age >/dev/null || fail 'The program age is missing (Debian: apt install age).'

mkdir -p -- "$BACKUPS"
BACKUPS=$(cd -- "$BACKUPS" && pwd)
# One run at a time. The lock ends with this process.
if command -v flock >/dev/null; then
  exec 9<"$BACKUPS"
  flock -n 9 || fail 'Another backup is running.'
fi

work=$(mktemp -d)
made="$BACKUPS/throughline-$(date -u +%Y-%m-%dT%H-%M-%SZ).tar.age"
trap 'rm -rf -- "$work" "$made.part"' EXIT
# sh runs the trap of EXIT after a signal only if the signal has a trap of its own.
trap 'exit 1' HUP INT TERM
[ ! -e "$made" ] || fail "$made exists already."

npm run --silent backup -- "$work/throughline.db"
# A file, not a pipe: sh does not report the failure of the first program of a pipe, and half an archive would be kept.
# It contains the key of stored secrets too, where there is one.
(cd -- "$work" && tar -cf backup.tar throughline.db*)
age -r "$AGE_RECIPIENT" -o "$made.part" "$work/backup.tar"
[ -s "$made.part" ] || fail 'age has written nothing.'
# On the disk before older backups are deleted.
sync "$made.part"
mv -- "$made.part" "$made"
echo "$made"

find "$BACKUPS" -maxdepth 1 -type f -name 'throughline-*.tar.age' ! -path "$made" -mtime +"$keep_days" -delete
