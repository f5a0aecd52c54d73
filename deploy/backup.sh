#!/bin/sh
# Writes a backup of the running server, encrypted with age for AGE_RECIPIENT, into BACKUPS, and deletes those that are
# older than KEEP_DAYS days. Run it in the folder of Throughline.
set -eu
umask 077
: "${AGE_RECIPIENT:?Set AGE_RECIPIENT to the line of age-keygen that begins with age1}"
: "${BACKUPS:?Set BACKUPS to the folder for backups}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm run --silent backup -- "$work/throughline.db"

mkdir -p "$BACKUPS"
made="$BACKUPS/throughline-$(date -u +%Y-%m-%dT%H-%M-%SZ).tar.age"
# With the key of stored secrets, where there is one; encrypted as they are, they may lie together.
tar -C "$work" -c . | age -r "$AGE_RECIPIENT" -o "$made.part"
mv "$made.part" "$made"
echo "$made"

find "$BACKUPS" -name 'throughline-*.tar.age' -mtime +"${KEEP_DAYS:-30}" -delete
