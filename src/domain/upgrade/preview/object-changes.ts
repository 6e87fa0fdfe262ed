import { isDeepStrictEqual } from 'node:util';
import { structuredPatch } from 'diff';
import { stringify } from 'yaml';
import { differencesOf } from '../../operator/drift.ts';
import { at, isObject, objectAt } from '../../core/read.ts';
import { redact } from '../../core/secret.ts';
import { type KubeObject, parseApiVersion } from '../../kubernetes/resource.ts';
import type { ObjectChange, PreviewedObjects } from './previewed-objects.ts';

const MAX_OBJECTS = 200;
const MAX_LINES = 300;
const MAX_LINES_IN_ALL = 4_000;
const MAX_LINE_LENGTH = 400;
/** Beyond that many edits two texts have little in common, and comparing them takes long. */
const MAX_EDITS = 800;
const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']);

export interface ObjectsInput {
  readonly from: readonly KubeObject[];
  readonly to: readonly KubeObject[];
  /** The namespace of objects that name none. */
  readonly namespace: string;
  readonly secrets: readonly string[];
}

/** An object before and after; one of them is absent when it is added or removed. */
export interface ObjectPair {
  readonly from?: KubeObject;
  readonly to?: KubeObject;
}

/**
 * What changes between two renderings, object by object, as lines of YAML with three lines around each change. What Secrets hold is never shown,
 * only that it changes. At most two hundred objects and four thousand lines; what was cut is counted.
 */
export function objectChanges(input: ObjectsInput): PreviewedObjects {
  const pairs = pairObjects(input);
  const changed = pairs.filter((pair) => isChanged(pair));
  let room = MAX_LINES_IN_ALL;
  const changes = changed.slice(0, MAX_OBJECTS).map((pair) => {
    const change = changeOf(pair, input.secrets, Math.min(room, MAX_LINES));
    room -= change.lines.length;
    return change;
  });
  return { changes, unchanged: pairs.length - changed.length, omitted: changed.length - changes.length };
}

/** The objects of both sides by what they are, in the order of the new ones, then those that are gone. */
export function pairObjects({ from, to, namespace }: Pick<ObjectsInput, 'from' | 'to' | 'namespace'>): ObjectPair[] {
  const keyOf = ({ apiVersion, kind, metadata }: KubeObject): string =>
    [parseApiVersion(apiVersion).group, kind, metadata.namespace ?? namespace, metadata.name].join('/');
  const before = new Map(from.map((object) => [keyOf(object), object]));
  const after = new Map(to.map((object) => [keyOf(object), object]));
  const kept = [...after].map(([key, object]): ObjectPair => {
    const known = before.get(key);
    return known === undefined ? { to: object } : { from: known, to: object };
  });
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, object]): ObjectPair => ({ from: object }));
  return [...kept, ...gone];
}

export function isChanged({ from, to }: ObjectPair): boolean {
  return from === undefined || to === undefined || from.apiVersion !== to.apiVersion || differencesOf(from, to).length > 0;
}

function changeOf({ from, to }: ObjectPair, secrets: readonly string[], room: number): ObjectChange {
  const shown = to ?? from;
  if (shown === undefined) throw new Error('an object that is on neither side was compared');
  const paths = from === undefined || to === undefined ? [] : differencesOf(from, to);
  const { namespace } = shown.metadata;
  const all = linesOf({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }, secrets);
  return {
    kind: shown.kind,
    apiVersion: shown.apiVersion,
    ...(namespace === undefined ? {} : { namespace }),
    name: redact(shown.metadata.name, secrets),
    change: from === undefined ? 'added' : to === undefined ? 'removed' : 'changed',
    labelsOnly: paths.length > 0 && paths.every((path) => path.startsWith('metadata.labels')),
    restarts: WORKLOADS.has(shown.kind) && paths.some((path) => path.startsWith('spec.template')),
    lines: all.slice(0, room),
    omittedLines: Math.max(0, all.length - room),
  };
}

function linesOf({ from, to }: ObjectPair, secrets: readonly string[]): string[] {
  const masked = maskSecrets(from, to);
  const [before, after] = [yamlOf(masked.from, secrets), yamlOf(masked.to, secrets)];
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: MAX_EDITS });
  if (patch === undefined) return [...signed('-', before), ...signed('+', after)];
  return patch.hunks.flatMap((hunk, index) => [...(index === 0 ? [] : ['@@']), ...hunk.lines.map((line) => cutLine(line))]);
}

function yamlOf(object: KubeObject | undefined, secrets: readonly string[]): string {
  return object === undefined
    ? ''
    : redact(stringify(object, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false }), secrets);
}

function signed(sign: '+' | '-', text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => cutLine(`${sign}${line}`));
}

function cutLine(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
}

/** Every value of a Secret is a word for it, another one when it changes. */
function maskSecrets(from: KubeObject | undefined, to: KubeObject | undefined): ObjectPair {
  const isSecret = ({ apiVersion, kind }: KubeObject): boolean => kind === 'Secret' && apiVersion === 'v1';
  const mask = (object: KubeObject | undefined, other: KubeObject | undefined): KubeObject | undefined => {
    if (object === undefined || !isSecret(object)) return object;
    return { ...object, ...maskMap(object, other, 'data'), ...maskMap(object, other, 'stringData') };
  };
  const [before, after] = [mask(from, undefined), mask(to, from)];
  return { ...(before === undefined ? {} : { from: before }), ...(after === undefined ? {} : { to: after }) };
}

function maskMap(object: KubeObject, other: KubeObject | undefined, name: 'data' | 'stringData'): { readonly [key: string]: unknown } {
  if (!isObject(object[name])) return {};
  const known = objectAt(other, name);
  const masked = Object.entries(objectAt(object, name)).map(([key, value]) => {
    const changed = Object.hasOwn(known, key) && known[key] !== value;
    return [key, changed ? '[secret, another one]' : '[secret]'];
  });
  return { [name]: Object.fromEntries(masked) };
}

/** A field that cannot be changed, and what an absent one means. */
interface Rule {
  readonly path: readonly string[];
  readonly absent?: unknown;
  /** Only a value that is replaced by another one counts: where there is none the api-server fills it in. */
  readonly filled?: 'by the api-server';
}

const SELECTOR: Rule = { path: ['spec', 'selector'] };
const ROLE: Rule = { path: ['roleRef'] };
const PVC_FIELDS = ['accessModes', 'selector', 'storageClassName', 'volumeName', 'volumeMode', 'dataSource', 'dataSourceRef'];

/** What the api-server never lets anybody change, of the kinds that charts hold. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  'apps/Deployment': [SELECTOR],
  'apps/DaemonSet': [SELECTOR],
  'apps/ReplicaSet': [SELECTOR],
  'apps/StatefulSet': [
    SELECTOR,
    { path: ['spec', 'serviceName'], absent: '' },
    { path: ['spec', 'podManagementPolicy'], absent: 'OrderedReady' },
    { path: ['spec', 'volumeClaimTemplates'], absent: [] },
  ],
  'batch/Job': [{ ...SELECTOR, filled: 'by the api-server' }, { path: ['spec', 'template'] }, { path: ['spec', 'completions'], absent: 1 }],
  'rbac.authorization.k8s.io/RoleBinding': [ROLE],
  'rbac.authorization.k8s.io/ClusterRoleBinding': [ROLE],
  'storage.k8s.io/StorageClass': [
    { path: ['provisioner'] },
    { path: ['parameters'], absent: {} },
    { path: ['reclaimPolicy'], absent: 'Delete' },
    { path: ['volumeBindingMode'], absent: 'Immediate' },
  ],
  'scheduling.k8s.io/PriorityClass': [{ path: ['value'] }, { path: ['preemptionPolicy'], absent: 'PreemptLowerPriority' }],
  '/Service': [{ path: ['spec', 'clusterIP'], filled: 'by the api-server' }],
  '/Secret': [{ path: ['type'], absent: 'Opaque' }],
  '/PersistentVolumeClaim': PVC_FIELDS.map((name) => ({ path: ['spec', name], filled: 'by the api-server' })),
};

/** The fields that change although the api-server never lets them, as dotted paths. Of a frozen ConfigMap or Secret that is its data. */
export function immutableChanges(from: KubeObject, to: KubeObject): string[] {
  const kind = `${parseApiVersion(to.apiVersion).group}/${to.kind}`;
  const frozen: readonly Rule[] = from['immutable'] === true ? [{ path: ['data'], absent: {} }, { path: ['immutable'] }] : [];
  return [...(RULES[kind] ?? []), ...frozen].filter((rule) => isBroken(rule, from, to)).map(({ path }) => path.join('.'));
}

function isBroken({ path, absent, filled }: Rule, from: KubeObject, to: KubeObject): boolean {
  const [before, after] = [at(from, ...path) ?? absent, at(to, ...path) ?? absent];
  if (filled !== undefined && (before === undefined || after === undefined)) return false;
  return !isDeepStrictEqual(before, after);
}
