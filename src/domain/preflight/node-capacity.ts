import { formatQuantity, parseQuantity, type Nanos } from '../core/quantity.ts';
import { at, isObject, listAt, objectAt, textAt, textsAt } from '../core/read.ts';
import { meetsRequirement } from '../kubernetes/label-selector.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { Finding } from './findings.ts';
import { type Amounts, type ContainerDefaults, podAmounts, type PodSet } from './release-demand.ts';

/** What the scheduler asks of a node. */
export interface NodeFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly unknown[];
  readonly allocatable: Amounts;
}

/** Why a node takes no pod of a set. */
type Misfit = 'Taint' | 'Selector' | `Resource ${string}`;

export function nodeFacts({ metadata, spec, status }: KubeObject): NodeFacts {
  const amounts = Object.entries(objectAt(status, 'allocatable')).flatMap(([key, text]) => {
    const value = parseQuantity(text);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { labels: metadata.labels ?? {}, taints: listAt(spec, 'taints'), allocatable: Object.fromEntries(amounts) };
}

/**
 * Warnings of pods that no node could take even when it is empty: more than it has, other labels, or taints that they do not tolerate. Nodes and their labels are not
 * named, because the person may not be allowed to read them; the scheduler counts them in the same way in the events of a pod. None without nodes.
 */
export function nodeFindings(sets: readonly PodSet[], nodes: readonly NodeFacts[], defaults: ContainerDefaults): Finding[] {
  if (nodes.length === 0) return [];
  return sets.flatMap(({ of, count, spec }) => {
    if (count === 0) return [];
    const requests = podAmounts(spec, 'requests', defaults);
    const misfits = nodes.map((node) => misfitOf(spec, requests, node));
    if (misfits.includes(undefined)) return [];
    const reasons = [...Map.groupBy(misfits, (misfit) => misfit ?? '')].map(
      ([misfit, those]) => `${those.length} ${reasonOf(misfit, { requests, nodes })}`,
    );
    const message = `No node could take the pods of ${of}: of ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}, ${reasons.join('; ')}`;
    return [{ message, subject: 'Node', evidence: 'estimate' }];
  });
}

/** How many of the nodes take a pod when they are empty. */
export function nodesFor(podSpec: unknown, nodes: readonly NodeFacts[], defaults: ContainerDefaults): number {
  const requests = podAmounts(podSpec, 'requests', defaults);
  return nodes.filter((node) => misfitOf(podSpec, requests, node) === undefined).length;
}

function misfitOf(spec: unknown, requests: Amounts, { labels, taints, allocatable }: NodeFacts): Misfit | undefined {
  if (!isSelected(spec, labels)) return 'Selector';
  const tolerations = listAt(spec, 'tolerations');
  const isTolerated = (taint: unknown): boolean =>
    textAt(taint, 'effect') === 'PreferNoSchedule' || tolerations.some((toleration) => tolerates(toleration, taint));
  if (!taints.every(isTolerated)) return 'Taint';
  const [short] = Object.entries(requests).filter(([resource, amount]) => amount > (allocatable[resource] ?? 0n));
  return short === undefined ? undefined : `Resource ${short[0]}`;
}

function isSelected(spec: unknown, labels: NodeFacts['labels']): boolean {
  const wanted = Object.entries(objectAt(spec, 'nodeSelector'));
  if (!wanted.every(([key, value]) => labels[key] === value)) return false;
  const required = at(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  const terms = listAt(required, 'nodeSelectorTerms');
  return !isObject(required) || terms.some((term) => listAt(term, 'matchExpressions').every((rule) => isMatched(rule, labels)));
}

/** Nodes know two operators more. The api-server rejects others. */
function isMatched(rule: unknown, labels: NodeFacts['labels']): boolean {
  const [value, wanted] = [Number(textAt(labels, textAt(rule, 'key') ?? '')), Number(textsAt(rule, 'values')[0])];
  switch (textAt(rule, 'operator')) {
    case 'Gt':
      return value > wanted;
    case 'Lt':
      return value < wanted;
    case undefined:
    default:
      return meetsRequirement(rule, labels) ?? true;
  }
}

function tolerates(toleration: unknown, taint: unknown): boolean {
  const [key, effect] = [textAt(toleration, 'key') ?? '', textAt(toleration, 'effect') ?? ''];
  if (effect !== '' && effect !== textAt(taint, 'effect')) return false;
  if (key === '') return textAt(toleration, 'operator') === 'Exists';
  if (key !== textAt(taint, 'key')) return false;
  return textAt(toleration, 'operator') === 'Exists' || (textAt(toleration, 'value') ?? '') === (textAt(taint, 'value') ?? '');
}

interface ReasonInput {
  readonly requests: Amounts;
  readonly nodes: readonly NodeFacts[];
}

function reasonOf(misfit: string, { requests, nodes }: ReasonInput): string {
  if (misfit === 'Taint') return 'with taints that they do not tolerate';
  if (misfit === 'Selector') return 'without the labels that they select';
  const resource = misfit.replace(/^Resource /, '');
  const units = /memory|storage|hugepages/.test(resource) ? 'binary' : 'decimal';
  const most = nodes.reduce<Nanos>(
    (largest, { allocatable }) => ((allocatable[resource] ?? 0n) > largest ? (allocatable[resource] ?? 0n) : largest),
    0n,
  );
  return `with too little ${resource} (a pod requests ${formatQuantity(requests[resource] ?? 0n, units)}, and the largest has ${formatQuantity(most, units)})`;
}
