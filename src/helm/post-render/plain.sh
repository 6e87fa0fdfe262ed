#!/bin/sh
# The post-renderer for charts that need none (see `post-renderer.ts`): what comes in goes out, in a few milliseconds. The first argument is `pass`, or
# `plain`: then CRDs are rejected, which Chandlery applies itself; a chart that renders one here, though it did not when it was rendered without
# a cluster, has to go through `main.ts`. The second one is the file for the reason of a failure, which Helm does not tell.
if [ "$1" = pass ]; then
  cat
  # Helm takes empty output for a failure, and a comment for no objects.
  echo '# that is all'
  exit 0
fi
text=$(cat)
case "$text" in
  *CustomResourceDefinition*)
    reason='the chart renders a CustomResourceDefinition that it did not render without the cluster; trying again carries it over'
    echo "$reason" >&2
    if [ -n "$2" ]; then printf 'HelmFailed\n%s\n' "$reason" > "$2"; fi
    exit 1
    ;;
esac
printf '%s\n' "${text:-# nothing to install}"
