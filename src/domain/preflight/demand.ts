import { isObject } from '../core/read.ts';
import { parseQuantity, type Nanos } from '../core/quantity.ts';

/** An amount as a field of the spec states it. */
export interface Amount {
  /** Dotted path from the root of the resource. */
  readonly field: string;
  readonly text: string;
  readonly value: Nanos;
}

export const CONTAINER_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'] as const;
type ContainerResource = (typeof CONTAINER_RESOURCES)[number];

/** What each of `count` containers asks for of one resource. At least one of the two amounts is there. */
export interface ContainerDemand {
  readonly resource: ContainerResource;
  readonly request?: Amount;
  readonly limit?: Amount;
  readonly count: number;
}

/** `count` volumes of a size. */
export interface ClaimDemand {
  readonly size: Amount;
  readonly storageClass?: string;
  readonly count: number;
}

/** What an instance is going to take, as far as the names of its fields tell. Its operator may add to it, so each sum is a lower bound. */
export interface Demand {
  readonly containers: readonly ContainerDemand[];
  readonly claims: readonly ClaimDemand[];
  /** Pods, by the fields that count them; 0: nothing tells. */
  readonly pods: number;
  /** Objects by the keys of quotas that count them; absent where only a spec is known. */
  readonly objects?: Readonly<Record<string, number>>;
}

const DEEPEST = 24;
const MAX_NODES = 5000;
const COUNTS = ['replicas', 'instances', 'replicaCount', 'members'] as const;
const STORAGE_GROUP = /storage|persist|volume|disk|pvc|claim/i;
const STORAGE_SIZE = /^(?:storage|(?:storage|disk|volume|pvc)Size)$/;
const STORAGE_CLASSES = ['storageClassName', 'storageClass'] as const;
/** A bare number of bytes is hardly ever meant. */
const WITH_UNIT = /^\d.*(?:[KMGTPE]i?|k)$/;

/** Reads what a spec asks for by the conventions of Kubernetes kinds: replicas, resources, sizes of storage. What is switched off counts nothing. */
export function demandOf(spec: unknown): Demand {
  const walk: Walk = { containers: [], claims: [], pods: 0, nodes: 0 };
  visit(spec, { path: ['spec'], count: 1 }, walk);
  return walk;
}

interface Walk {
  readonly containers: ContainerDemand[];
  readonly claims: ClaimDemand[];
  pods: number;
  nodes: number;
}

interface NodeRef {
  readonly path: readonly string[];
  /** How many pods the nearest group above has. */
  readonly count: number;
  readonly storageClass?: string;
}

type Group = Readonly<Record<string, unknown>>;

function visit(value: unknown, ref: NodeRef, walk: Walk): void {
  const { path } = ref;
  walk.nodes += 1;
  if (path.length > DEEPEST || walk.nodes > MAX_NODES) return;
  if (Array.isArray(value)) {
    const own = path.at(-1) ?? '';
    value.forEach((item, index) => visit(item, { ...ref, path: [...path.slice(0, -1), `${own}[${index}]`] }, walk));
    return;
  }
  if (!isObject(value) || value['enabled'] === false) return;
  const here = { path, ...inherited(value, ref) };
  const counted = countIn(value);
  if (counted !== undefined) walk.pods += counted;
  if (isObject(value['requests']) || isObject(value['limits'])) {
    walk.containers.push(...containersOf(value, here));
    walk.claims.push(...claimsOf([amountIn(value, 'requests', { resource: 'storage', path })], here));
    return;
  }
  walk.containers.push(...plainContainers(value, here));
  walk.claims.push(...claimsOf(sizesIn(value, here), here));
  for (const [key, member] of Object.entries(value)) visit(member, { ...here, path: [...path, key] }, walk);
}

function inherited(group: Group, ref: NodeRef): Omit<NodeRef, 'path'> {
  const storageClass = STORAGE_CLASSES.map((key) => group[key]).find((name) => typeof name === 'string' && name !== '') ?? ref.storageClass;
  return { count: countIn(group) ?? ref.count, ...(typeof storageClass === 'string' ? { storageClass } : {}) };
}

function countIn(group: Group): number | undefined {
  const counted = COUNTS.map((key) => group[key]).find((found) => typeof found === 'number' && Number.isInteger(found) && found >= 0);
  return typeof counted === 'number' ? counted : undefined;
}

/** `{requests, limits}`; as for Kubernetes, a limit alone is a request as well. */
function containersOf(block: Group, { path, count }: NodeRef): ContainerDemand[] {
  return CONTAINER_RESOURCES.flatMap((resource) => {
    const limit = amountIn(block, 'limits', { resource, path });
    const request = amountIn(block, 'requests', { resource, path }) ?? limit;
    if (request === undefined) return [];
    return [{ resource, count, request, ...(limit === undefined ? {} : { limit }) }];
  });
}

/** A bare `memory: 1Gi` stands for both, unless `resources` beside it says otherwise. */
function plainContainers(group: Group, { path, count }: NodeRef): ContainerDemand[] {
  const beside = isObject(group['resources']) ? group['resources'] : {};
  return CONTAINER_RESOURCES.flatMap((resource) => {
    const amount = amountAt(group, resource, path);
    const said = ['requests', 'limits'].some((part) => amountIn(beside, part, { resource, path }) !== undefined);
    return amount === undefined || said ? [] : [{ resource, count, request: amount, limit: amount }];
  });
}

function sizesIn(group: Group, { path }: NodeRef): (Amount | undefined)[] {
  const own = path.at(-1) ?? '';
  const keys = Object.keys(group).filter((key) => STORAGE_SIZE.test(key) || (key === 'size' && STORAGE_GROUP.test(own)));
  return keys.map((key) => amountAt(group, key, path));
}

function claimsOf(sizes: readonly (Amount | undefined)[], { count, storageClass }: NodeRef): ClaimDemand[] {
  return sizes.flatMap((size) => {
    if (size === undefined || !WITH_UNIT.test(size.text)) return [];
    return [{ size, count, ...(storageClass === undefined ? {} : { storageClass }) }];
  });
}

function amountIn(block: Group, part: string, of: { readonly resource: string; readonly path: readonly string[] }): Amount | undefined {
  const group = block[part];
  return isObject(group) ? amountAt(group, of.resource, [...of.path, part]) : undefined;
}

function amountAt(group: Group, key: string, path: readonly string[]): Amount | undefined {
  const found = Object.hasOwn(group, key) ? group[key] : undefined;
  const value = parseQuantity(found);
  return value === undefined || value < 0n ? undefined : { field: [...path, key].join('.'), text: String(found), value };
}

/** One object, in billionths. */
export const ONE = 1_000_000_000n;
const BY_CLASS = '.storageclass.storage.k8s.io/';

/** How a quota counts a resource. */
export interface Meter {
  readonly units: 'binary' | 'decimal';
  readonly read: (demand: Demand) => Nanos;
}

/** How the key of a quota, such as `requests.cpu`, counts. */
export function meterFor(key: string): Meter {
  const [side, resource] = key.startsWith('limits.')
    ? (['limit', key.slice(7)] as const)
    : (['request', key.replace(/^requests\./, '')] as const);
  const known = CONTAINER_RESOURCES.find((candidate) => candidate === resource);
  if (known !== undefined) return { units: known === 'cpu' ? 'decimal' : 'binary', read: (demand) => sumOf(demand, known, side) };
  const [storageClass, counted] = key.includes(BY_CLASS) ? key.split(BY_CLASS) : [undefined, key];
  const claims = (demand: Demand): Demand['claims'] =>
    demand.claims.filter((claim) => storageClass === undefined || claim.storageClass === storageClass);
  switch (counted) {
    case 'requests.storage':
      return { units: 'binary', read: (demand) => total(claims(demand).map(({ size, count }) => size.value * BigInt(count))) };
    case 'persistentvolumeclaims':
    case 'count/persistentvolumeclaims':
      return { units: 'decimal', read: (demand) => total(claims(demand).map(({ count }) => BigInt(count) * ONE)) };
    case 'pods':
    case 'count/pods':
      return { units: 'decimal', read: (demand) => BigInt(demand.pods) * ONE };
    default:
      return { units: 'decimal', read: ({ objects = {} }) => BigInt(objects[key] ?? 0) * ONE };
  }
}

function sumOf({ containers }: Demand, resource: ContainerResource, side: 'request' | 'limit'): Nanos {
  const own = containers.filter((container) => container.resource === resource);
  return total(own.map((container) => (container[side]?.value ?? 0n) * BigInt(container.count)));
}

function total(amounts: readonly Nanos[]): Nanos {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
