#!/bin/sh
# Starts a Node within the limits of helm's child processes (see `bounds.ts`): V8 reserves more memory than helm may have, so the limit is raised to the
# hard one, and the heap is bounded instead.
ulimit -S -d "$(ulimit -H -d)" 2>/dev/null || :
exec "$1" --max-old-space-size=256 --disable-proto=delete "$2" "$3" "$4" "$5"
