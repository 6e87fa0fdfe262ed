import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../domain/kubernetes/resource.ts';

/**
 * Whether a live object is what its manifest says, which then names every field that has a default: all members but `status` are equal, and its labels and
 * annotations are there. Labels and annotations of others are no difference.
 */
export function isAsWritten(manifest: KubeObject, live: KubeObject): boolean {
  const [wanted, found] = [membersOf(manifest), membersOf(live)];
  const { labels = {}, annotations = {} } = manifest.metadata;
  return isDeepStrictEqual(wanted, found) && isIn(labels, live.metadata.labels) && isIn(annotations, live.metadata.annotations);
}

/** Kubernetes fills in the rules of an aggregated ClusterRole. */
function membersOf({ metadata: _metadata, status: _status, ...members }: KubeObject): object {
  const { rules: _rules, ...others } = members;
  return members['aggregationRule'] === undefined ? members : others;
}

function isIn(wanted: Readonly<Record<string, string>>, found: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(wanted).every(([name, value]) => found[name] === value);
}
