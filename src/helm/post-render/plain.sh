#!/bin/sh
# The post-renderer for charts that need none (see `home.ts`): what comes in goes out, in a few milliseconds. Only definitions are refused: they are
# applied by Chandlery, and a chart that renders one here, though it did not when it was rendered without a cluster, has to go through `main.ts`.
# The bound is that of `domain/manifest.ts`.
most=16777216
text=$(head -c $((most + 1)))
if [ ${#text} -gt $most ]; then
  echo 'the chart renders more than 16 MiB of objects' >&2
  exit 1
fi
case "$text" in
  *CustomResourceDefinition*)
    echo 'the chart renders a CustomResourceDefinition that it did not render without the cluster; trying again carries it over' >&2
    exit 1
    ;;
esac
# Helm takes empty output for a failure, and a comment for no objects.
printf '%s\n' "${text:-# nothing to install}"
