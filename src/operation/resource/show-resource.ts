import pMap from 'p-map';
import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { booleanAt, listAt, numberAt, textAt } from '../../domain/core/read.ts';
import { redact } from '../../domain/core/secret.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import { describeResources, type EnvironmentResource } from '../../domain/environment/environment-resources.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { eventsAbout } from '../../domain/instance/events.ts';
import { type EventView, specVersionOf } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Cluster, ifFound, type ObjectTable } from '../../domain/kubernetes/cluster.ts';
import { type Condition, conditionsOf } from '../../domain/kubernetes/condition.ts';
import { creatorOf } from '../../domain/kubernetes/creator.ts';
import { etagOf } from '../../domain/kubernetes/etag.ts';
import { CRON_JOB, EVENT } from '../../domain/kubernetes/resource-types.ts';
import { type KubeObject, parseApiVersion, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { fieldManagersOf, type FieldManager } from '../../domain/resource/managed-fields.ts';
import {
  actionCommand,
  actionsFor,
  type ActionView,
  effectsOf,
  permissionFor,
  resourceKey,
} from '../../domain/resource/resource-actions.ts';
import { containersOf, type ContainerView, factOf, factsOf, hasFacts, type ResourceFact } from '../../domain/resource/resource-facts.ts';
import { kindKey } from '../../domain/tree/object-index.ts';
import { declaredRelationsOf } from '../../domain/tree/declared-edges.ts';
import { type RelatedResource, relatedResourcesOf } from '../../domain/tree/related-resources.ts';
import { POD_SPECS } from '../../domain/tree/relations.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { readCron } from '../../form/controls/cron.ts';
import { formatPath } from '../../schema/form-path.ts';
import { sensitiveIn } from '../../schema/sensitive/mask.ts';
import { entriesFor } from '../app/find-app.ts';
import { type EnvironmentPorts, readPlace } from '../environment/read-environment.ts';
import { redactHealth, redactTexts, secretsOf, shownObject } from '../instance/instance-masking.ts';
import { namespacedKinds } from '../instance/read-objects.ts';
import { missingPermission, readReplicas } from './act-on-resource.ts';
import { findResource, type FoundResource, type ResourceAddress } from './find-resource.ts';

/** A relation with the address of the other resource. */
export interface RelatedView extends RelatedResource {
  /** Plural and group; absent outside of the namespace. */
  readonly resource?: string;
}

/** All about one resource in an Environment, its sensitive values masked on every path. */
export interface ResourceView extends Omit<EnvironmentResource, 'labels'> {
  readonly namespace: string;
  /** `app/name` of the instance that the namespace is dedicated to; absent in the namespace of the environment. */
  readonly dedicatedTo?: string;
  /** Plural and group of its `owner`; absent for a cluster-scoped one. */
  readonly ownerResource?: string;
  readonly facts: readonly ResourceFact[];
  readonly containers: readonly ContainerView[];
  readonly conditions: readonly Condition[];
  /** About it and what it owns, newest first. */
  readonly events: readonly EventView[];
  readonly related: readonly RelatedView[];
  /** Without managed fields and the copy that `kubectl apply` keeps; of a Secret, the metadata. */
  readonly object: KubeObject;
  /** The paths of the masked values. */
  readonly masked: readonly string[];
  /** The user who created it through pages or API, as its annotation says: no proof. */
  readonly createdBy?: string;
  /** Who set which fields. */
  readonly managers: readonly FieldManager[];
  readonly actions: readonly ActionView[];
  /** Of kinds that can be scaled. */
  readonly replicas?: number;
  /** Whether it runs pods, or is one. */
  readonly hasLogs: boolean;
  /** What the actor may not read of all that. */
  readonly missing: readonly MissingPermission[];
  readonly unavailable: readonly UnavailableKind[];
  readonly etag: string;
  /** For actions: changes with the spec, not with the status. */
  readonly specVersion: string;
}

/**
 * A resource with everything that is known of it, read as the actor.
 *
 * @throws AppError as `findResource`.
 */
export async function showResource(
  ports: EnvironmentPorts,
  actor: Actor,
  address: ResourceAddress,
): Promise<{ readonly environment: EnvironmentView; readonly resource: ResourceView }> {
  const found = await findResource(ports, actor, address);
  const reading = await readAround(ports, actor, found);
  return { environment: found.environment, resource: await afterYield(() => viewOf(ports, actor, found, reading)) };
}

interface Reading {
  readonly kinds: readonly ServedKind[];
  /** Everything else in the namespace. */
  readonly others: readonly KubeObject[];
  readonly events: readonly KubeObject[];
  readonly related: readonly RelatedResource[];
  readonly owned: ReturnType<typeof relatedResourcesOf>['owned'];
  readonly columns: ObjectTable;
  readonly permissions: ReadonlyMap<string, MissingPermission>;
  readonly replicas: number | undefined;
  readonly missing: readonly MissingPermission[];
  readonly unavailable: readonly UnavailableKind[];
  readonly secrets: readonly string[];
}

const NO_COLUMNS: ObjectTable = { columns: [], cells: [] };

async function readAround(ports: EnvironmentPorts, actor: Actor, found: FoundResource): Promise<Reading> {
  const { object, ref, environment, marked } = found;
  const { namespace } = environment;
  const cluster = ports.clusters.asActor(actor);
  const [kinds, read, events, columns, permissions, replicas] = await Promise.all([
    ports.discovery.kinds().then(namespacedKinds),
    readPlace(ports, actor, { environment }),
    orMissing(
      cluster.list(EVENT, { namespace }).then(({ items }) => items),
      [],
    ),
    orMissing(hasFacts(object) ? Promise.resolve(NO_COLUMNS) : cluster.table(ref), NO_COLUMNS),
    permissionsFor(ports, actor, found),
    replicasOf(cluster, found),
  ]);
  await ports.health.evaluate([object]);
  const others = read.objects.filter(({ metadata }) => metadata.uid !== object.metadata.uid);
  const declared = declaredRelationsOf(ports.catalog.customResourceDefinitions());
  const { related: all, owned } = await afterYield(() => relatedResourcesOf(object, others, declared));
  const secrets = [...new Set([...secretsOf(marked, object), ...found.secrets, ...read.secrets])];
  // A CRD can declare that any field is a name.
  const related = all.filter((one) => one.class !== 'Reference' || !secrets.includes(one.name));
  return {
    kinds,
    others,
    events: events.value,
    related: await withStates(cluster, related, { kinds, namespace }),
    owned,
    columns: columns.value,
    permissions,
    replicas,
    missing: [...read.missing, ...[events.missing ?? [], columns.missing ?? []].flat()],
    unavailable: read.unavailable,
    secrets,
  };
}

interface Part<T> {
  readonly value: T;
  readonly missing?: MissingPermission;
}

/** A part of the page that cannot be read does not take the page away. */
async function orMissing<T>(read: Promise<T>, nothing: T): Promise<Part<T>> {
  try {
    return { value: await read };
  } catch (error) {
    if (!isAppError(error) || error.status >= 500) throw error;
    return { value: nothing, ...(error.missing === undefined ? {} : { missing: error.missing }) };
  }
}

/** The missing permission of each action that the actor may not do. */
async function permissionsFor(ports: EnvironmentPorts, actor: Actor, { kind, object }: FoundResource): Promise<Reading['permissions']> {
  const actions = actionsFor(kind, object);
  const asked = await Promise.all(
    actions.map(async (action) => await missingPermission(ports, actor, permissionFor(action, kind, object))),
  );
  return new Map(actions.flatMap((action, index) => (asked[index] === undefined ? [] : [[action, asked[index]]])));
}

async function replicasOf(cluster: Pick<Cluster, 'get'>, { kind, ref, object }: FoundResource): Promise<number | undefined> {
  if (kind.subresources?.includes('scale') !== true) return undefined;
  const known = numberAt(object.spec, 'replicas');
  try {
    return known ?? (await readReplicas(cluster, { ref, object }));
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return undefined;
    throw error;
  }
}

/** So many that were not among what was listed are looked for one by one. */
const MAX_LOOKUPS = 20;

async function withStates(
  cluster: Pick<Cluster, 'get'>,
  related: readonly RelatedResource[],
  { kinds, namespace }: { readonly kinds: readonly ServedKind[]; readonly namespace: string },
): Promise<RelatedResource[]> {
  let left = MAX_LOOKUPS;
  return await pMap(
    related,
    async (one) => {
      const served = kinds.find(({ group, kind }) => group === one.group && kind === one.kind);
      const isHere = served !== undefined && (one.namespace ?? namespace) === namespace;
      if (one.state !== 'NotRead' || !isHere || left === 0) return one;
      left -= 1;
      try {
        const there = await ifFound(cluster.get({ ...served, namespace, name: one.name }, { answer: 'metadata' }));
        return { ...one, state: there === undefined ? 'Missing' : 'Found' } as const;
      } catch (error) {
        if (error instanceof AppError && error.status < 500) return one;
        throw error;
      }
    },
    { concurrency: 4 },
  );
}

function viewOf(ports: EnvironmentPorts, actor: Actor, found: FoundResource, reading: Reading): ResourceView {
  const { kind, object: raw, environment, marked } = found;
  const { kinds, related, secrets, replicas } = reading;
  const { namespace } = environment;
  const shown = withoutSecrets(shownObject(marked, raw), secrets);
  const { managedFields: _fields, ...metadata } = shown.metadata;
  const object = { ...shown, metadata: { ...metadata, name: raw.metadata.name } };
  const row = rowOf(ports, actor, raw, reading);
  return {
    ...row,
    resource: resourceKey(kind),
    namespace,
    ...(found.dedicatedTo === undefined ? {} : { dedicatedTo: found.dedicatedTo }),
    ...ownerResource(row, kinds),
    facts: [...factsOf(shown), ...scheduleFacts(object), ...columnFacts(reading)],
    containers: containersOf(object, POD_SPECS[kindKey(raw)]),
    conditions: conditionsOf(object),
    events: eventsAbout(reading.owned, reading.events).map((event) => ({ ...event, message: redact(event.message, secrets) })),
    related: related.map((one) => relatedView(one, { kinds, namespace, secrets })),
    object,
    masked: sensitiveIn(marked, raw).map(({ path }) => formatPath(path)),
    ...creatorOf(raw),
    managers: redactTexts(fieldManagersOf(raw), secrets),
    actions: actionViews({ kind, object, instance: row.instance?.name }, reading),
    ...(replicas === undefined ? {} : { replicas }),
    hasLogs: Object.hasOwn(POD_SPECS, kindKey(raw)),
    missing: reading.missing,
    unavailable: reading.unavailable,
    etag: etagOf(raw),
    specVersion: specVersionOf(raw),
  };
}

/** The row of the list of the environment's resources. */
function rowOf(
  ports: EnvironmentPorts,
  actor: Actor,
  raw: KubeObject,
  { kinds, others, secrets }: Reading,
): Omit<EnvironmentResource, 'labels'> {
  const apps = new Set(entriesFor(ports, actor).map(({ summary }) => summary.id));
  const rows = describeResources([raw, ...ancestorsOf(raw, others)], { kinds, shown: apps });
  const row = rows.find(({ uid }) => uid === raw.metadata.uid) ?? rows[0];
  if (row === undefined) throw new AppError('Internal', 'resource: it is not among itself');
  const { labels: _labels, ...shown } = row;
  return {
    ...shown,
    ...redactTexts({ info: row.info }, secrets),
    ...(row.health === undefined ? {} : { health: redactHealth(row.health, secrets) }),
  };
}

function ownerResource({ owner }: Pick<EnvironmentResource, 'owner'>, kinds: readonly ServedKind[]): Pick<ResourceView, 'ownerResource'> {
  const served = kinds.find((kind) => owner?.kind === kind.kind && parseApiVersion(owner.apiVersion).group === kind.group);
  return served === undefined ? {} : { ownerResource: resourceKey(served) };
}

function actionViews(
  { kind, object, instance }: Pick<FoundResource, 'kind' | 'object'> & { readonly instance: string | undefined },
  { related, permissions, replicas }: Reading,
): ActionView[] {
  return actionsFor(kind, object).map((action) => {
    const missing = permissions.get(action);
    return {
      action,
      allowed: missing === undefined,
      ...(missing === undefined ? {} : { missing }),
      effects: effectsOf({ action, kind, object, related, ...(instance === undefined ? {} : { instance }) }),
      kubectl: actionCommand({ action, kind, object, ...(replicas === undefined ? {} : { replicas }) }),
    };
  });
}

/** What `kubectl apply` keeps for itself is a copy of the resource with everything in it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whatever repeats a sensitive value of its own or of an instance; names and labels do not change. */
function withoutSecrets(object: KubeObject, secrets: readonly string[]): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { [LAST_APPLIED]: _copy, ...annotations } = metadata.annotations ?? {};
  const { annotations: _annotations, ...names } = metadata;
  const kept = Object.keys(annotations).length === 0 ? {} : { annotations: redactTexts(annotations, secrets) };
  return { apiVersion, kind, metadata: { ...names, ...kept }, ...redactTexts(rest, secrets) };
}

/** Chains of owners are short; those that go round in a circle end here. */
const MAX_OWNERS = 32;

function ancestorsOf(object: KubeObject, others: readonly KubeObject[]): KubeObject[] {
  const byUid = new Map(others.map((one) => [one.metadata.uid ?? '', one]));
  const found = new Set<KubeObject>();
  for (let below: readonly KubeObject[] = [object]; below.length > 0 && found.size < MAX_OWNERS;) {
    const owners = below
      .flatMap((one) => listAt(one, 'metadata', 'ownerReferences'))
      .flatMap((owner) => byUid.get(textAt(owner, 'uid') ?? '') ?? []);
    below = owners.filter((owner) => !found.has(owner) && owner !== object);
    for (const owner of below) found.add(owner);
  }
  return [...found];
}

/** The schedule of a CronJob in words, and when it comes next. */
function scheduleFacts(object: KubeObject): ResourceFact[] {
  if (kindKey(object) !== `${CRON_JOB.group}/${CRON_JOB.kind}`) return [];
  const zone = textAt(object.spec, 'timeZone');
  const read = readCron(`${zone === undefined ? '' : `CRON_TZ=${zone} `}${textAt(object.spec, 'schedule') ?? ''}`);
  if (read.fault !== undefined) return [factOf('Schedule in words', read.fault)];
  const [next] = booleanAt(object.spec, 'suspend') === true ? [] : read.next(new Date(), 1);
  return [factOf('Schedule in words', read.words), ...(next === undefined ? [] : [factOf('Next run', next.toISOString())])];
}

/** What the header and the list say already. */
const KNOWN_COLUMNS = new Set(['name', 'age', 'namespace', 'created at']);
const MAX_COLUMNS = 30;

function columnFacts({ columns: { columns, cells }, secrets }: Reading): ResourceFact[] {
  return columns
    .map(({ name }, index) => ({ name, cell: cells[index] }))
    .filter(
      ({ name, cell }) => !KNOWN_COLUMNS.has(name.toLowerCase()) && ['string', 'number', 'boolean'].includes(typeof cell) && cell !== '',
    )
    .slice(0, MAX_COLUMNS)
    .map(({ name, cell }) => factOf(name, redact(String(cell), secrets)));
}

function relatedView(
  one: RelatedResource,
  { kinds, namespace, secrets }: { readonly kinds: readonly ServedKind[]; readonly namespace: string; readonly secrets: readonly string[] },
): RelatedView {
  const served = kinds.find(({ group, kind }) => group === one.group && kind === one.kind);
  const isHere = served !== undefined && one.namespace === namespace;
  return {
    ...one,
    ...(one.health === undefined ? {} : { health: redactHealth(one.health, secrets) }),
    ...(isHere ? { resource: resourceKey(served) } : {}),
  };
}
