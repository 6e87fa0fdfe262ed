import { EVENT, LIMIT_RANGE, permissionTo, RESOURCE_QUOTA, type KnownType } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { type EnvironmentHealth, environmentHealth, reportedVersion } from '../../domain/environment/environment-status.ts';
import { limitRules, type LimitRule, quotaUses, type QuotaUse } from '../../domain/environment/quota-use.ts';
import { summarizeWorkloads, type WorkloadSummary } from '../../domain/environment/deploy-board.ts';
import { foldEvents } from '../../domain/instance/events.ts';
import type { EventView, InstanceSummary } from '../../domain/instance/instance.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type Emptiness, emptinessOf } from '../../domain/tree/emptiness.ts';
import type { CatalogFault } from '../../domain/operator/operator.ts';
import { entriesFor } from '../app/find-app.ts';
import { listFaults } from '../catalog/list-faults.ts';
import { instanceSummary } from '../instance/find-instance.ts';
import { redactTexts } from '../instance/instance-masking.ts';
import { type KindList, listKind } from '../instance/list-kind.ts';
import type { Ports } from '../ports.ts';
import { workloadsIn } from './list-environment-resources.ts';
import { type EnvironmentPorts, type EnvironmentReading, readEnvironment, type ReadingExtent } from './read-environment.ts';

/** An instance with the health of all that it owns, and the version that it reports; empty when it reports none. */
export interface InstanceStatus extends InstanceSummary {
  readonly version: string;
}

export interface EnvironmentStatus
  extends EnvironmentHealth, Pick<EnvironmentReading, 'environment' | 'missing' | 'unavailable' | 'unexplored'> {
  /** By name. */
  readonly instances: readonly InstanceStatus[];
  /** Why there are no instances; absent when there are some. */
  readonly noInstances?: Emptiness;
  readonly workloads: WorkloadSummary;
  readonly quotas: readonly QuotaUse[];
  readonly limits: readonly LimitRule[];
  /** Warnings of the last hour, the unresolved first, then the newest. */
  readonly warnings: readonly EventView[];
  /** Faults of the catalogue about it and about what is installed in it, for those who may read them. */
  readonly faults: readonly CatalogFault[];
}

/**
 * How an environment is, in one answer: everything is read as the actor, and what may not be read is named.
 *
 * @throws AppError `NotFound` for an environment that the actor does not see.
 */
export async function showEnvironmentStatus(
  ports: EnvironmentPorts,
  actor: Actor,
  input: ReadingExtent & { readonly environment: string },
): Promise<EnvironmentStatus> {
  const reading = await readEnvironment(ports, actor, input);
  const { environment, resources, secrets } = reading;
  const { namespace } = environment;
  const list = async (type: KnownType): Promise<Listed> => await listed(ports, actor, { type, namespace });
  const [quotas, limits, faults] = await Promise.all([list(RESOURCE_QUOTA), list(LIMIT_RANGE), faultsAbout(ports, actor, reading)]);
  const events = listedAs(EVENT, namespace, reading.warnings);
  const instances = instancesIn(ports, actor, reading);
  return {
    environment,
    ...environmentHealth(environment, resources),
    instances,
    ...(instances.length === 0 ? { noInstances: noInstances(ports, actor, reading) } : {}),
    ...(reading.unexplored === undefined ? {} : { unexplored: reading.unexplored }),
    workloads: summarizeWorkloads(workloadsIn(reading)),
    quotas: quotaUses(quotas.items),
    limits: limitRules(limits.items),
    warnings: redactTexts(warningsAbout(reading, events.items), secrets),
    faults,
    missing: [
      ...new Map([...reading.missing, ...quotas.missing, ...limits.missing, ...events.missing].map((one) => [keyOf(one), one])).values(),
    ],
    unavailable: reading.unavailable,
  };
}

function keyOf({ group, resource }: MissingPermission): string {
  return `${resource}.${group}`;
}

interface Listed {
  readonly items: readonly KubeObject[];
  readonly missing: readonly MissingPermission[];
}

/** That one kind may not be listed leaves the rest of the page alone. */
async function listed(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { type, namespace }: { readonly type: KnownType; readonly namespace: string },
): Promise<Listed> {
  return listedAs(
    type,
    namespace,
    await listKind(async (options) => (await clusters.asActor(actor).list(type, { namespace, ...options })).items),
  );
}

function listedAs(type: KnownType, namespace: string, list: KindList): Listed {
  if (list.outcome === 'Listed') return { items: list.items, missing: [] };
  return { items: [], missing: list.outcome === 'Forbidden' ? [{ ...permissionTo('list', type), namespace }] : [] };
}

function instancesIn(
  ports: EnvironmentPorts,
  actor: Actor,
  { environment, objects, appHealth, secrets }: EnvironmentReading,
): InstanceStatus[] {
  const entries = new Map(entriesFor(ports, actor).map((entry) => [`${entry.summary.group}/${entry.summary.kind}`, entry]));
  return objects
    .flatMap((object) => {
      const entry = entries.get(`${object.apiVersion.split('/')[0]}/${object.kind}`);
      if (entry === undefined) return [];
      const summary = instanceSummary(entry, environment, { object, health: appHealth(object) });
      return [{ ...summary, ...redactTexts({ version: reportedVersion(object) }, secrets) }];
    })
    .sort((a, b) => a.name.localeCompare(b.name) || a.app.localeCompare(b.app));
}

function noInstances(ports: EnvironmentPorts, actor: Actor, { environment: { namespace }, missing }: EnvironmentReading): Emptiness {
  const kinds = new Set(entriesFor(ports, actor).map(({ summary: { group, plural } }) => `${plural}.${group}`));
  const hidden = missing.filter(({ resource, group }) => kinds.has(`${resource}.${group}`));
  const subject = ['instance of an app', 'instances of apps'] as const;
  return emptinessOf({ subject, place: `the namespace ${namespace}`, total: 0, filter: {}, served: new Set(), missing: hidden });
}

/** A warning about what is healthy or gone by now is resolved. */
function warningsAbout(
  { resources, missing, unavailable, unexplored = 0 }: EnvironmentReading,
  events: readonly KubeObject[],
): EventView[] {
  const byUid = new Map(resources.map((resource) => [resource.uid, resource]));
  const isComplete = missing.length === 0 && unavailable.length === 0 && unexplored === 0;
  const warnings = foldEvents(events, (uid) => {
    const resource = byUid.get(uid);
    if (resource === undefined) return isComplete ? 'Resolved' : 'Open';
    return resource.health?.status === 'Healthy' ? 'Resolved' : 'Open';
  });
  return warnings.filter(({ type }) => type === 'Warning').toSorted((a, b) => Number(a.resolved) - Number(b.resolved));
}

/** Those about the environment itself, and about the Operators of its instances; none for whoever may not read faults. */
async function faultsAbout(ports: EnvironmentPorts, actor: Actor, { environment, objects }: EnvironmentReading): Promise<CatalogFault[]> {
  const kinds = new Set(objects.map(({ apiVersion, kind }) => `${apiVersion.split('/')[0]}/${kind}`));
  const operators = entriesFor(ports, actor)
    .filter(({ summary }) => kinds.has(`${summary.group}/${summary.kind}`))
    .map(({ operator: { metadata } }) => `Operator ${metadata.namespace ?? ''}/${metadata.name}`);
  const about = new Set([`Environment ${environment.name}`, ...operators]);
  try {
    return (await listFaults(ports, actor)).filter(({ resource = '' }) => about.has(resource));
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return [];
    throw error;
  }
}
