import { type OutputFrom, outputName, sourceOfValues } from '../../domain/app-instance/outputs.ts';
import { isAppInstance, isDedicatedTo, releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import { instanceSpec } from '../../domain/app-instance/instance-kind.ts';
import { objectOfOutput, readOutput } from '../../domain/connection/read-output.ts';
import { cycleThrough } from '../../domain/core/dependency-cycle.ts';
import { AppError } from '../../domain/core/errors.ts';
import { numberAt } from '../../domain/core/read.ts';
import { DEPLOYER } from '../../domain/environment/deployer.ts';
import { healthOf } from '../../domain/health/rules/health-of.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CONFIG_MAP, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ValuesFrom } from '../../domain/operator/kind/chart-fields.ts';
import { placeAt } from '../../domain/values/layers.ts';
import { maskObject } from '../../schema/sensitive/mask.ts';
import type { ValuesSource } from '../helm-release/resolve-values.ts';
import type { Reference } from '../helm-release/watch-references.ts';
import type { SourceApp } from './ports.ts';
import type { Work } from './work.ts';

/** Why a release has to wait for other instances. */
export interface Dependency {
  readonly reason: 'DependencyNotReady' | 'DependencyCycle';
  readonly message: string;
}

/** `spec.valuesFrom` with the outputs of other instances read. */
export interface ResolvedOutputs {
  readonly kind: 'Resolved';
  readonly valuesFrom: readonly (ValuesFrom | ValuesSource)[];
  /** An instance that is not ready now: the release stays as it is until then. */
  readonly waitsFor?: Dependency;
}

/** More than anybody has; a bound on what is read. */
const MAX_INSTANCES = 200;

/**
 * Reads the outputs that an instance takes from others in its namespace, as the deployer, and has it reconciled when they change.
 *
 * @throws AppError `ValuesInvalid` for an output that no app declares; `Forbidden` where the deployer may not read.
 */
export async function resolveOutputs(work: Work): Promise<ResolvedOutputs | { readonly kind: 'Blocked'; readonly dependency: Dependency }> {
  const sources = work.spec.valuesFrom.map(sourceOfValues);
  const seen = await observeInstances(work);
  work.ports.references.remember(work.key, referencesOf(work, seen));
  const cycle = cycleThrough(seen.start, seen.edges);
  if (cycle !== undefined) {
    const names = cycle.map((id) => seen.names.get(id) ?? id).join(' → ');
    return { kind: 'Blocked', dependency: { reason: 'DependencyCycle', message: cycleMessage(names) } };
  }
  const readings = await Promise.all(
    sources.map(async (source) => (source.kind === 'Object' ? { source: source.from } : await readSource(work, seen, source.from))),
  );
  const missing = sentences(readings.map((reading) => reading.missing));
  if (missing !== undefined) return { kind: 'Blocked', dependency: missing };
  const unready = sentences(readings.map((reading) => reading.unready));
  const valuesFrom = readings.flatMap(({ source }) => source ?? []);
  return { kind: 'Resolved', valuesFrom, ...(unready === undefined ? {} : { waitsFor: unready }) };
}

function cycleMessage(names: string): string {
  return `spec.valuesFrom leads back to the instance itself: ${names}; remove one of these outputs`;
}

/** What was found of the instances that one takes outputs of, and of those that they take outputs of in turn. */
interface SeenInstances {
  readonly start: string;
  readonly edges: ReadonlyMap<string, readonly string[]>;
  readonly found: ReadonlyMap<string, KubeObject | undefined>;
  /** For people. */
  readonly names: ReadonlyMap<string, string>;
}

async function observeInstances(work: Work): Promise<SeenInstances> {
  const { kind, instance, spec } = work;
  const start = idOf({ ...kind, name: instance.metadata.name });
  const names = new Map([[start, `${kind.kind} ${instance.metadata.name}`]]);
  const found = new Map<string, KubeObject | undefined>();
  const edges = new Map<string, readonly string[]>();
  const follow = (from: string, valuesFrom: Work['spec']['valuesFrom']): readonly OutputFrom[] => {
    const outputs = valuesFrom.flatMap((entry) => {
      const source = sourceOfValues(entry);
      return source.kind === 'Output' ? [source.from] : [];
    });
    for (const output of outputs) names.set(idOf(output), `${output.kind} ${output.name}`);
    edges.set(from, [...new Set(outputs.map(idOf))]);
    return outputs;
  };
  const open = [...follow(start, spec.valuesFrom)];
  while (open.length > 0 && found.size < MAX_INSTANCES) {
    const output = open.shift();
    if (output === undefined || found.has(idOf(output)) || idOf(output) === start) continue;
    const other = await find(work, output);
    found.set(idOf(output), other);
    if (other !== undefined && output.group === OURS.appsGroup)
      open.push(...follow(idOf(output), instanceSpec.read(other.spec ?? {})?.valuesFrom ?? []));
  }
  return { start, edges, found, names };
}

function idOf({ group, kind, name }: { readonly group: string; readonly kind: string; readonly name: string }): string {
  return `${kind}.${group}/${name}`;
}

async function find({ ports, sources, namespace, signal }: Work, output: OutputFrom): Promise<KubeObject | undefined> {
  const app = ports.appOf(output);
  return app === undefined ? undefined : await ifFound(sources.get({ ...app, namespace, name: output.name }, { signal }));
}

/** Objects that values come from, the other instances, and the Secrets and Services that their outputs are made of. Sorted, each once. */
function referencesOf({ ports, namespace, spec }: Work, { found }: SeenInstances): readonly Reference[] {
  const references = spec.valuesFrom.flatMap((entry): Reference[] => {
    const source = sourceOfValues(entry);
    if (source.kind === 'Object') return [{ type: source.from.kind === 'Secret' ? SECRET : CONFIG_MAP, namespace, name: source.from.name }];
    const { from } = source;
    const app = ports.appOf(from);
    if (app === undefined) return [];
    const instance = found.get(idOf(from));
    const object = instance && objectOfOutput({ entries: app.connection, instance, key: from.key });
    const place = instance === undefined ? namespace : placeOf(app, instance);
    return [{ type: app, namespace, name: from.name }, ...(object === undefined ? [] : [{ ...object, namespace: place }])];
  });
  const byId = new Map(
    references.map(({ type: { group, version, resource }, namespace, name }) => [
      `${resource}.${group} ${namespace}/${name}`,
      { type: { group, version, resource }, namespace, name },
    ]),
  );
  return [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, reference]) => reference);
}

/** Where the outputs of an instance are. Nothing but its own namespace and the one that is dedicated to it is ever read. */
function placeOf({ resource }: SourceApp, instance: KubeObject): string {
  const place = releaseNamespaceOf(instance);
  return isDedicatedTo(place, { resource }, instance.metadata) ? place : (instance.metadata.namespace ?? '');
}

interface Reading {
  readonly source?: ValuesFrom | ValuesSource;
  /** Why there is no value. */
  readonly missing?: string;
  /** Why the value may be another one soon. */
  readonly unready?: string;
}

async function readSource(work: Work, { found }: SeenInstances, from: OutputFrom): Promise<Reading> {
  const app = work.ports.appOf(from);
  const instance = found.get(idOf(from));
  if (app === undefined) return absent(from, `no app has the kind ${from.kind}${from.group === '' ? '' : ` of ${from.group}`}`);
  if (instance === undefined) return absent(from, 'it does not exist');
  if (instance.metadata.deletionTimestamp !== undefined) return absent(from, 'it is being deleted');
  const why = unreadyBecause(instance);
  const unready = why === undefined ? {} : { unready: waitingFor(from, why) };
  const reading = await readOutput({
    cluster: work.ports.asDeployer({ namespace: placeOf(app, instance), name: DEPLOYER }).cluster,
    entries: app.connection,
    instance,
    shown: maskObject({ schema: undefined, sensitivePaths: app.sensitive }, instance),
    key: from.key,
    signal: work.signal,
  });
  switch (reading.kind) {
    case 'Undeclared':
      throw new AppError('ValuesInvalid', `values: ${from.kind} "${work.namespace}/${from.name}": ${reading.why}`);
    case 'Absent':
      return { ...absent(from, reading.why), ...unready };
    case 'Read':
      return { source: sourceOf(from, app, reading), ...unready };
    default:
      return reading satisfies never;
  }
}

function absent(from: OutputFrom, why: string): Reading {
  const layer = { origin: outputName(from), values: {} };
  return from.optional ? { source: { layer, secrets: [], revision: `${outputName(from)} absent` } } : { missing: waitingFor(from, why) };
}

function waitingFor({ kind, name }: OutputFrom, why: string): string {
  return `${kind} ${name}: ${why}`;
}

/** A foreign kind that says nothing about itself is as good as it can be. */
function unreadyBecause(instance: KubeObject): string | undefined {
  const { generation } = instance.metadata;
  const observed = numberAt(instance.status, 'observedGeneration');
  if (observed !== undefined && observed !== generation) return 'it is being changed';
  const health = healthOf(instance);
  if (health === undefined) return isAppInstance(instance) ? 'it is new' : undefined;
  return health.status === 'Healthy' ? undefined : `it is not ready (${health.status})`;
}

function sourceOf(
  from: OutputFrom,
  { group }: SourceApp,
  { text, secret, revision }: { text: string; secret: boolean; revision: string },
): ValuesSource {
  const place = JSON.stringify([`${from.kind}.${group}`, from.name, from.key, from.targetPath]);
  const layer = { origin: outputName(from), values: placeAt(from.targetPath, text) };
  return { layer, secrets: secret ? [text] : [], revision: `${place} ${revision}` };
}

function sentences(clauses: readonly (string | undefined)[]): Dependency | undefined {
  const named = [...new Set(clauses.filter((clause) => clause !== undefined))];
  return named.length === 0 ? undefined : { reason: 'DependencyNotReady', message: `Waiting for other instances: ${named.join('; ')}` };
}
