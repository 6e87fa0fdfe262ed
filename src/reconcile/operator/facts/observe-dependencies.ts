import { OPERATOR_KIND } from '../../../domain/operator/kind/operator-kind.ts';
import { statusOf } from '../../../domain/kind/kind.ts';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { OPERATOR } from '../../../domain/kubernetes/resource-types.ts';
import { cycleThrough } from '../../../domain/core/dependency-cycle.ts';
import { keyOf, type KubeObject, parseKey } from '../../../domain/kubernetes/resource.ts';
import { parseOperatorSpec } from '../../../domain/operator/operator-spec.ts';
import type { Work } from '../work.ts';

/** What an Operator waits for before it is installed or upgraded. */
export interface DependencyFact {
  /** `namespace/name` of those that are not READY, with why. */
  readonly waiting: readonly { readonly operator: string; readonly why: string }[];
  /** The Operators of a cycle that it belongs to, itself at both ends. */
  readonly cycle?: readonly string[];
}

/** More than anybody has; a bound on what is read. */
const MAX_ITEMS = 200;

/** Looks at the Operators that it depends on, and at what those depend on, for cycles. */
export async function observeDependencies(work: Work): Promise<DependencyFact> {
  const start = keyOf(work.operator);
  const edges = new Map<string, readonly string[]>([[start, work.spec.dependsOn]]);
  const found = new Map<string, KubeObject | undefined>();
  const open = [...work.spec.dependsOn];
  while (open.length > 0 && found.size < MAX_ITEMS) {
    const key = open.shift() ?? '';
    if (found.has(key) || key === start) continue;
    const operator = await find(work, key);
    found.set(key, operator);
    const targets = operator === undefined ? [] : parseOperatorSpec(operator).dependsOn;
    edges.set(key, targets);
    open.push(...targets);
  }
  const cycle = cycleThrough(start, edges);
  const waiting = work.spec.dependsOn.flatMap((operator) => {
    const why = whyNotReady(found.get(operator));
    return why === undefined ? [] : [{ operator, why }];
  });
  return { waiting, ...(cycle === undefined ? {} : { cycle }) };
}

async function find({ ports, signal }: Work, key: string): Promise<KubeObject | undefined> {
  return await ifFound(ports.cluster.get({ ...OPERATOR, ...parseKey(key) }, { signal }));
}

function whyNotReady(operator: KubeObject | undefined): string | undefined {
  if (operator === undefined) return 'it does not exist';
  if (operator.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  const { status = 'not reconciled yet', observedGeneration } = statusOf(OPERATOR_KIND, operator);
  if (status !== 'READY') return `it is ${status}`;
  return observedGeneration === operator.metadata.generation ? undefined : 'it has changed';
}
