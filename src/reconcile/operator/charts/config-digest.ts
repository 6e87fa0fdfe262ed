import { createHash } from 'node:crypto';
import type { OperatorSpec } from '../../../domain/operator/operator-spec.ts';
import { isObject } from '../../../domain/core/read.ts';

/**
 * The digest over what a revision is made of: chart, values, Kubernetes minor and the policy for legacy APIs. An Operator whose release carries the
 * digest of today is in step. 40 hexadecimal digits, so that it fits into a label.
 */
export function configDigest(input: {
  readonly chartDigest: string;
  readonly spec: OperatorSpec;
  readonly kubernetesVersion: string;
  /** The revisions of `valuesFrom`. */
  readonly sources?: readonly string[];
}): string {
  const { chartDigest, spec, kubernetesVersion, sources = [] } = input;
  const minor = kubernetesVersion.replace(/^v/, '').split('.').slice(0, 2).join('.');
  const parts = [chartDigest, canonical(spec.values), minor, spec.legacyAPIs, ...sources];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}

/** The same value with the members of objects in one order, whatever order they came in. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item));
  if (!isObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([key, member]) => [key, canonical(member)]);
}
