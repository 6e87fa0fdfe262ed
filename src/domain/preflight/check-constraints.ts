import { formatQuantity, type Nanos, parseQuantity } from '../core/quantity.ts';
import { at, isObject, listAt, objectAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { type Amount, type ContainerDemand, type Demand, demandOf, type Meter, meterFor, ONE } from './demand.ts';
import { type Finding, type Findings, joinFindings } from './findings.ts';
import { type NodeFacts, nodeFindings, nodesFor } from './node-capacity.ts';
import { type PodEvidence, podFindings } from './pod-security.ts';
import {
  containerDefaults,
  type DemandContext,
  type TemporaryDemand,
  temporaryDemands,
  type Plurals,
  podSetsOf,
  releaseDemand,
} from './release-demand.ts';

/** An instance as it would be, and what stands around it. */
export interface ConstraintsInput {
  /** `<plural>.<group>` of the kind. */
  readonly app: string;
  /** As the api-server would store it, defaults included; else as it was sent. */
  readonly object: KubeObject;
  /** As it is now; absent when it is new. */
  readonly before?: KubeObject;
  readonly quotas: readonly KubeObject[];
  readonly limitRanges: readonly KubeObject[];
  readonly namespace?: KubeObject;
  readonly pods: PodEvidence;
  readonly missingClasses: readonly Finding[];
  readonly unchecked: readonly Finding[];
  /** Where the objects are known: those of a chart. What its pods may not do, dry runs have shown. */
  readonly release?: ReleaseObjects;
}

/** The objects of a release, and what they meet. */
export interface ReleaseObjects {
  readonly to: readonly KubeObject[];
  /** What the release has now; absent when there is none. */
  readonly from?: readonly KubeObject[];
  readonly plurals: Plurals;
  /** Empty: none, or nobody knows. */
  readonly nodes: readonly NodeFacts[];
}

const NO_DEMAND: Demand = { containers: [], claims: [], pods: 0 };

interface Limits {
  readonly rule: unknown;
  readonly name: string;
}

interface Rejected {
  readonly amount: Amount;
  readonly resource: string;
  /** What is wrong with the amount, in a few words. */
  readonly than: string;
}

/** What quotas, limit ranges, Pod Security and classes mean for an instance. */
export function checkConstraints(input: ConstraintsInput): Findings {
  const { app, object, before, quotas, limitRanges, namespace, pods, missingClasses, unchecked, release } = input;
  const count = { quotas, app, kind: object.kind, ...(before === undefined ? {} : { isNew: 'No' as const }) };
  if (release !== undefined) {
    const defaults = containerDefaults(limitRanges);
    const context: DemandContext = { ...release, defaults, nodesFor: (podSpec) => nodesFor(podSpec, release.nodes, defaults) };
    const [after, now] = [release.to, release.from].map((objects) => objects && releaseDemand(objects, context));
    const temporary = temporaryDemands(release.to, release.from ?? [], defaults);
    const stock = now === undefined ? {} : { before: now };
    const compared = { ...count, demand: after ?? NO_DEMAND, ...stock, temporary, what: 'Release' as const };
    const nodes = nodeFindings(podSetsOf(release.to), release.nodes, defaults);
    return joinFindings([quotaFindings(compared), { warned: [...nodes, ...missingClasses] }, { unchecked }]);
  }
  const demand = demandOf(object.spec);
  const stock = before === undefined ? {} : { before: demandOf(before.spec) };
  return joinFindings([
    quotaFindings({ ...count, demand, ...stock, what: 'Spec' }),
    { warned: [...limitRangeFindings(limitRanges, demand), ...missingClasses] },
    podFindings(namespace, pods),
    { unchecked },
  ]);
}

/**
 * What the LimitRanges of a namespace will reject when the operator makes pods and volumes: an estimate, because the operator may set other amounts
 * than the spec names.
 */
function limitRangeFindings(ranges: readonly KubeObject[], demand: Demand): Finding[] {
  return ranges.flatMap((range) =>
    listAt(range.spec, 'limits').flatMap((rule) => {
      const limits: Limits = { rule, name: range.metadata.name };
      switch (textAt(rule, 'type')) {
        case 'Container':
          return demand.containers.flatMap((container) => onContainer(limits, container, 'a container'));
        case 'Pod':
          return demand.containers.flatMap((container) => onContainer(limits, container, 'a pod'));
        case 'PersistentVolumeClaim':
          return demand.claims.flatMap(({ size }) => onClaim(limits, size));
        case undefined:
        default:
          return [];
      }
    }),
  );
}

function onContainer(limits: Limits, container: ContainerDemand, what: string): Finding[] {
  const { resource, request, limit } = container;
  const [max, min, fallback] = [bound(limits, 'max', resource), bound(limits, 'min', resource), bound(limits, 'default', resource)];
  const largest = limit ?? request;
  const lines = [
    ...(max !== undefined && largest !== undefined && largest.value > max.value
      ? [rejection(limits, { amount: largest, resource, than: `above the limit of ${max.text} for ${what}` })]
      : []),
    ...(min !== undefined && request !== undefined && request.value < min.value && what === 'a container'
      ? [rejection(limits, { amount: request, resource, than: `below the minimum of ${min.text} for ${what}` })]
      : []),
    ...(fallback !== undefined && limit === undefined && request !== undefined && request.value > fallback.value
      ? [rejection(limits, { amount: request, resource, than: `above the default limit of ${fallback.text} for ${what}` })]
      : []),
  ];
  return [...lines, ...onRatio(limits, container)];
}

function onRatio(limits: Limits, { resource, request, limit }: ContainerDemand): Finding[] {
  const ratio = bound(limits, 'maxLimitRequestRatio', resource);
  if (ratio === undefined || request === undefined || limit === undefined || request.value === 0n) return [];
  if (limit.value * 1_000_000_000n <= ratio.value * request.value) return [];
  const than = `more than ${ratio.text} times the request of ${request.text}`;
  return [rejection(limits, { amount: limit, resource, than })];
}

function onClaim(limits: Limits, size: Amount): Finding[] {
  const [max, min] = [bound(limits, 'max', 'storage'), bound(limits, 'min', 'storage')];
  const rejected = (than: string): Finding => ({
    message: `${size.field}: the volume will be rejected: storage ${size.text} is ${than} (LimitRange ${limits.name})`,
    subject: 'LimitRange',
    evidence: 'estimate',
    field: size.field,
  });
  if (max !== undefined && size.value > max.value) return [rejected(`above the limit of ${max.text} for a volume`)];
  return min !== undefined && size.value < min.value ? [rejected(`below the minimum of ${min.text} for a volume`)] : [];
}

function rejection({ name }: Limits, { amount, resource, than }: Rejected): Finding {
  return {
    message: `${amount.field}: pods will be rejected: ${resource} ${amount.text} is ${than} (LimitRange ${name})`,
    subject: 'LimitRange',
    evidence: 'estimate',
    field: amount.field,
  };
}

/** A bound of a rule, as it was written. */
function bound({ rule }: Limits, which: string, resource: string): { readonly text: string; readonly value: Nanos } | undefined {
  const group = isObject(rule) ? objectAt(rule, which) : {};
  const found = Object.hasOwn(group, resource) ? group[resource] : undefined;
  const value = parseQuantity(found);
  return value === undefined ? undefined : { text: typeof found === 'string' ? found : formatQuantity(value, 'decimal'), value };
}

/** What is compared with the ResourceQuotas of a namespace. */
interface QuotaInput {
  readonly quotas: readonly KubeObject[];
  /** `<plural>.<group>` of the kind. */
  readonly app: string;
  readonly kind: string;
  readonly demand: Demand;
  /** What the instance takes already; absent when nothing. */
  readonly before?: Demand;
  /** What comes for a time beside the demand; default: nothing. */
  readonly temporary?: readonly TemporaryDemand[];
  readonly isNew?: 'No';
  /** What the demand was read from: the objects themselves, or the fields of a spec, which an operator may take otherwise. */
  readonly what: 'Release' | 'Spec';
}

interface Need extends Pick<Meter, 'units'> {
  /** What more is needed, in billionths. */
  readonly more: Nanos;
}

/**
 * Compares what a new or changed instance takes with what its quotas have left. The number of objects of the kind is exact; what its pods and
 * volumes take is an estimate, because the operator makes them later.
 */
function quotaFindings(input: QuotaInput): Partial<Findings> {
  const parts = input.quotas.map((quota) => findingsOf(quota, input));
  return {
    created: parts.flatMap((part) => part.counted),
    warned: parts.flatMap((part) => part.short),
    unchecked: parts.flatMap((part) => part.unchecked),
  };
}

interface QuotaFindings {
  readonly counted: readonly Finding[];
  readonly short: readonly Finding[];
  readonly unchecked: readonly Finding[];
}

function findingsOf(quota: KubeObject, input: QuotaInput): QuotaFindings {
  const { name } = quota.metadata;
  const scoped = at(quota.spec, 'scopes') !== undefined || at(quota.spec, 'scopeSelector') !== undefined;
  const counted: Finding[] = [];
  const short: Finding[] = [];
  const uncounted: string[] = [];
  for (const [key, text] of Object.entries(objectAt(quota.spec, 'hard'))) {
    const hard = parseQuantity(text);
    const used = parseQuantity(at(quota.status, 'used', key));
    if (hard === undefined) continue;
    if (used === undefined) {
      uncounted.push(key);
      continue;
    }
    if (key === `count/${input.app}` && input.isNew === undefined) {
      counted.push({ message: countSentence(name, input, { used, hard }), subject: 'Quota', evidence: 'exact' });
      continue;
    }
    const need = needFor(key, input);
    if (scoped) continue;
    const isShort = need.more > 0n && used + need.more > hard;
    if (!isShort) short.push(...temporaryFindings(name, key, { temporary: input.temporary ?? [], left: hard - used - need.more, hard }));
    if (!isShort) continue;
    const message = shortSentence(name, key, { ...need, left: hard - used, hard, what: input.what });
    short.push({ message, subject: 'Quota', evidence: input.what === 'Release' ? 'exact' : 'estimate' });
  }
  return { counted, short, unchecked: uncheckedOf(name, scoped, uncounted) };
}

function uncheckedOf(name: string, scoped: boolean, uncounted: readonly string[]): Finding[] {
  const messages = [
    ...(scoped ? [`The quota ${name} applies to some pods only, so it was not checked`] : []),
    ...(uncounted.length === 0 ? [] : [`The cluster has not counted these resources of the quota ${name} yet: ${uncounted.join(', ')}`]),
  ];
  return messages.map((message) => ({ message, subject: 'Quota', evidence: 'exact' }));
}

function countSentence(name: string, { kind }: QuotaInput, { used, hard }: { readonly used: Nanos; readonly hard: Nanos }): string {
  return `It is number ${formatQuantity(used + ONE, 'decimal')} of the ${formatQuantity(hard, 'decimal')} instances of ${kind} that the quota ${name} allows`;
}

interface Shortage extends Need {
  readonly left: Nanos;
  readonly hard: Nanos;
  readonly what: QuotaInput['what'];
}

function shortSentence(name: string, key: string, { more, left, hard, units, what }: Shortage): string {
  if (what === 'Release') {
    const [asked, room, all, beyond] = [more, left < 0n ? 0n : left, hard, more - left].map((amount) => formatQuantity(amount, units));
    return `The release needs ${key}=${asked}, and the quota ${name} has ${room} of ${all} left (${beyond} short): resources above the quota will be rejected`;
  }
  const [asked, room, all] = [more, left < 0n ? 0n : left, hard].map((amount) => formatQuantity(amount, units));
  return `It needs about ${key}=${asked}, and the quota ${name} has ${room} of ${all} left: resources above the quota will be rejected`;
}

interface Temporary {
  readonly temporary: readonly TemporaryDemand[];
  /** Beside the release at rest. */
  readonly left: Nanos;
  readonly hard: Nanos;
}

/** What fits at rest, and not while more pods are there. */
function temporaryFindings(name: string, key: string, { temporary, left, hard }: Temporary): Finding[] {
  const { read, units } = meterFor(key);
  return temporary.flatMap(({ of, demand }) => {
    const more = read(demand);
    if (more === 0n || more <= left) return [];
    const [asked, room, all] = [more, left < 0n ? 0n : left, hard].map((amount) => formatQuantity(amount, units));
    const message = `${of} needs ${key}=${asked}, and beside the release the quota ${name} has ${room} of ${all} left: its pods will be rejected until there is room`;
    return [{ message, subject: 'Quota', evidence: 'estimate' }];
  });
}

/** How much more of what a quota counts; nothing for what a spec does not tell. */
function needFor(key: string, { demand, before }: QuotaInput): Need {
  const meter = meterFor(key);
  return { more: meter.read(demand) - (before === undefined ? 0n : meter.read(before)), units: meter.units };
}
