import { createHash } from 'node:crypto';
import { type AppDefinitionSpec, parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import type { GeneratedNames } from '../../domain/app-definition/app-definition-kind.ts';
import { generatedCrd, generatedCrdName, generatedNames } from '../../domain/app-definition/generated-crd.ts';
import { newlyReserved, reservedNames } from '../../domain/app-definition/reserved-names.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { textAt, textsAt } from '../../domain/core/read.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../../domain/kubernetes/condition.ts';
import { formerNameOf } from '../../domain/kubernetes/moved-from.ts';
import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import { APP_DEFINITION, APP_REVISION, CRD } from '../../domain/kubernetes/resource-types.ts';
import { checkStoredInstances } from '../../schema/stored/check-stored-instances.ts';
import { fetchDefinition, type FetchedDefinition, type FetchMemory } from './fetch-definition.ts';
import type { DefinitionPorts } from './ports.ts';
import type { ActiveFacts, CrdFact } from './state.ts';

/** Annotation on a generated CRD: the digest of what was applied. */
const CONFIG_DIGEST = `${OURS.group}/config-digest`;
/** Annotation on a CRD that stayed when its AppDefinition went: its name, so that it takes the CRD back when it is made again. */
export const FORMER_DEFINITION = `${OURS.group}/former-app-definition`;
const NAMED = 10;

/** One AppDefinition at work. */
export interface DefinitionWork {
  readonly ports: DefinitionPorts;
  readonly definition: KubeObject;
  readonly spec: AppDefinitionSpec;
  readonly fetches: FetchMemory;
  /** The generations of CRDs as they were applied, by uid. */
  readonly applied: Map<string, number>;
  readonly signal: AbortSignal;
}

/** Reads what is. */
export async function observeDefinition(work: DefinitionWork): Promise<ActiveFacts> {
  const { ports, definition, spec, fetches, signal } = work;
  const facts = { hasFinalizer: hasFinalizer(definition), suspended: spec.suspend };
  if (!facts.hasFinalizer || facts.suspended || spec.chart === undefined) return facts;
  const { names: recorded } = parseAppDefinitionStatus(definition);
  const fetched = await fetchDefinition(ports, fetches, { definition, spec, source: spec.chart, signal });
  const known = { ...facts, fetched, ...(recorded === undefined ? {} : { recorded }) };
  return fetched.kind === 'Failed' ? known : { ...known, generated: await observeGenerated(work, fetched.chart) };
}

async function observeGenerated(work: DefinitionWork, chart: FetchedDefinition): Promise<NonNullable<ActiveFacts['generated']>> {
  const { ports, definition, spec, signal } = work;
  const names = await namesOf(work, chart);
  const { name: revision } = chart.revision.metadata;
  const candidate = withDigest(
    generatedCrd({
      definition: definition.metadata.name,
      names,
      description: spec.catalog.summary ?? chart.metadata.description ?? '',
      values: chart.values,
      revision,
      ...(spec.scale === undefined ? {} : { scale: spec.scale }),
    }),
  );
  const crd = await observeCrd(work, candidate);
  const isNew = crd.kind === 'Own' && digestOf(crd.crd) !== digestOf(candidate);
  const check = { cluster: ports.cluster, candidate, named: NAMED, signal };
  return {
    names,
    candidate,
    crd,
    taken: newlyReserved(reservedNames(names), namesBefore(work, crd)),
    revision:
      (await ifFound(ports.cluster.get({ ...APP_REVISION, name: revision }, { answer: 'metadata', signal }))) === undefined
        ? 'Missing'
        : 'Exists',
    ...(isNew ? { stored: await checkStoredInstances({ ...check, live: crd.crd }) } : {}),
  };
}

/** The names that the kind has, by the status and by the CRD. */
function namesBefore({ definition }: DefinitionWork, crd: CrdFact): readonly GeneratedNames[] {
  const { names: recorded } = parseAppDefinitionStatus(definition);
  const live = crd.kind === 'Own' ? namesOfCrd(crd.crd) : undefined;
  return [recorded, live].filter((names) => names !== undefined);
}

function namesOfCrd({ spec }: KubeObject): GeneratedNames | undefined {
  const [kind, plural, singular] = ['kind', 'plural', 'singular'].map((key) => textAt(spec, 'names', key));
  if (kind === undefined || plural === undefined || singular === undefined) return undefined;
  return { kind, plural, singular, shortNames: textsAt(spec, 'names', 'shortNames') };
}

/** The names that the CRD has, once there is one: those of the status, or where it was lost those of the CRD with our label. */
async function namesOf(work: DefinitionWork, chart: FetchedDefinition): Promise<GeneratedNames> {
  const { ports, definition, spec, signal } = work;
  const { name } = definition.metadata;
  const { names: recorded } = parseAppDefinitionStatus(definition);
  const derived = generatedNames(spec.names, chart.metadata.name);
  if (recorded !== undefined) return { ...recorded, shortNames: derived.shortNames };
  const labelled = await ports.cluster.listMetadata(CRD, { labelSelector: `${OURS.appDefinitionLabel}=${name}`, signal });
  const [found] = labelled.items;
  const crd = found && (await findCrd(work, found.metadata.name));
  const live = crd && namesOfCrd(crd);
  return live === undefined ? derived : { ...live, shortNames: derived.shortNames };
}

function withDigest(crd: KubeObject): KubeObject {
  const digest = createHash('sha256').update(stringifyJson(crd)).digest('hex').slice(0, 40);
  return { ...crd, metadata: { ...crd.metadata, annotations: { ...crd.metadata.annotations, [CONFIG_DIGEST]: digest } } };
}

function digestOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[CONFIG_DIGEST];
}

async function observeCrd(work: DefinitionWork, candidate: KubeObject): Promise<CrdFact> {
  const crd = await findCrd(work, candidate.metadata.name);
  if (crd === undefined) return { kind: 'Missing' };
  const owner = ownerOf(crd);
  const former = formerNameOf(work.definition);
  const isFormers = former !== undefined && owner === former;
  if (!isFormers && owner !== work.definition.metadata.name) return { kind: 'Foreign', message: conflictOf(crd) };
  const refusal = isFormers ? await refusalOf(work, { former, crd, candidate }) : undefined;
  if (refusal !== undefined) return refusal;
  const { uid = '', generation } = crd.metadata;
  const isApplied =
    isLabelled(crd, work.definition.metadata.name) && digestOf(crd) === digestOf(candidate) && work.applied.get(uid) === generation;
  const conditions = conditionsOf(crd);
  const accepted = findCondition(conditions, 'NamesAccepted');
  return {
    kind: 'Own',
    crd,
    applied: isApplied ? 'UpToDate' : 'Outdated',
    ...(isFormers ? { former } : {}),
    serving: findCondition(conditions, 'Established')?.status === 'True' ? 'Established' : 'Pending',
    ...(accepted?.status === 'False'
      ? { rejection: `kind "${crd.metadata.name}": its names conflict with another CRD: ${accepted.message}; set spec.names` }
      : {}),
  };
}

/** The name of the AppDefinition that a CRD is of, or was last; undefined where it is of none. */
function ownerOf({ metadata: { labels = {}, annotations = {} } }: KubeObject): string | undefined {
  return labels[OURS.appDefinitionLabel] ?? annotations[FORMER_DEFINITION];
}

/** Why a CRD is not the AppDefinition's, a sentence. */
function conflictOf({ metadata: { name, labels = {} } }: KubeObject): string {
  const owner = labels[OURS.appDefinitionLabel];
  const whose = owner === undefined ? 'the CRD exists and no AppDefinition owns it' : `the AppDefinition "${owner}" owns it`;
  return `kind "${name}": ${whose}; set spec.names to names that are free, or delete that one first`;
}

interface FormerCrd {
  readonly former: string;
  readonly crd: KubeObject;
  readonly candidate: KubeObject;
}

/** Why a CRD does not move from the former name of its AppDefinition, now or at all; undefined when it does. */
async function refusalOf({ ports, signal }: DefinitionWork, { former, crd, candidate }: FormerCrd): Promise<CrdFact | undefined> {
  const { name } = crd.metadata;
  const [before, now] = [crd, candidate].map(({ spec }) => textAt(spec, 'names', 'kind'));
  if (before !== now) {
    const message = `kind "${name}": it cannot move from the AppDefinition "${former}", whose kind is ${before ?? ''} and not ${now ?? ''}; set spec.names.kind to ${before ?? ''}`;
    return { kind: 'Foreign', message };
  }
  const live = await ifFound(ports.cluster.get({ ...APP_DEFINITION, name: former }, { answer: 'metadata', signal }));
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return undefined;
  const message = `kind "${name}" belongs to the AppDefinition "${former}", the former name of this one; it moves when that one is deleted`;
  return { kind: 'Former', message };
}

function isLabelled({ metadata }: KubeObject, definition: string): boolean {
  return metadata.labels?.[OURS.appDefinitionLabel] === definition;
}

/** The CRD of an AppDefinition that is being deleted: only one with its label. */
export async function observeOwnCrd(work: DefinitionWork): Promise<KubeObject | undefined> {
  const { names } = parseAppDefinitionStatus(work.definition);
  const crd = names === undefined ? undefined : await findCrd(work, generatedCrdName(names));
  return crd !== undefined && isLabelled(crd, work.definition.metadata.name) ? crd : undefined;
}

async function findCrd({ ports, signal }: DefinitionWork, name: string): Promise<KubeObject | undefined> {
  return await ifFound(ports.cluster.get({ ...CRD, name }, { signal }));
}

/** All instances of a generated kind, of which most need the metadata alone. */
export async function observeInstances(
  { ports: { cluster }, signal }: DefinitionWork,
  { plural }: Pick<GeneratedNames, 'plural'>,
  content: 'metadata' | 'full' = 'metadata',
): Promise<readonly KubeObject[]> {
  const type = instanceType(plural);
  const found = await ifFound(content === 'full' ? cluster.list(type, { signal }) : cluster.listMetadata(type, { signal }));
  return found?.items ?? [];
}

export function instanceType(plural: string): ResourceType {
  return { group: OURS.appsGroup, version: OURS.appsVersion, resource: plural };
}
