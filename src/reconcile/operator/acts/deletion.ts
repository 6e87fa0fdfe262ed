import { listInShort } from '../../../domain/core/name-words.ts';
import type { DeletionStatus } from '../../../domain/operator/kind/status-fields.ts';
import { isAppError } from '../../../domain/core/errors.ts';
import { blockerSentence, blockersOf, firstBlockers } from '../../../domain/operator/deletion.ts';
import { apiVersionOf, type KubeObject, type ResourceType, type ServedKind } from '../../../domain/kubernetes/resource.ts';
import type { InstancesFact } from '../facts/observe-instances.ts';
import type { Work } from '../work.ts';
import { SKIP_HOOKS } from '../../../domain/operator/operator-spec.ts';
import { withReleaseLease } from './with-release-lease.ts';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { quoted } from '../../../domain/instance/instance-commands.ts';

const PAGE = 200;
const AT_ONCE = 10;

/** Asks for the deletion of every instance that is not being deleted yet. Their own finalizers decide when they are gone. */
export async function deleteInstances(work: Work, instances: readonly InstancesFact[]): Promise<void> {
  for (const { type, unavailable } of instances) {
    if (unavailable !== undefined) continue;
    try {
      await deleteAll(work, type);
    } catch (error) {
      // The pages ran out of time (410), or the kind has gone; the next look tells what is left.
      if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
    }
  }
}

async function deleteAll(work: Work, type: ResourceType): Promise<void> {
  for await (const { items } of work.ports.cluster.pages(type, { content: 'metadata', size: PAGE, signal: work.signal })) {
    const remaining = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    for (let first = 0; first < remaining.length; first += AT_ONCE) {
      await Promise.all(remaining.slice(first, first + AT_ONCE).map((item) => deleteOne(work, type, item)));
    }
  }
}

async function deleteOne({ ports, signal }: Work, type: ResourceType, { metadata }: KubeObject): Promise<void> {
  const { name, namespace, uid } = metadata;
  const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
  try {
    await ports.cluster.delete(ref, { propagation: 'Background', signal, ...(uid === undefined ? {} : { uid }) });
  } catch (error) {
    if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
  }
}

/** What stands in the way, those that hang first. */
export function deletionStatus(instances: readonly InstancesFact[]): DeletionStatus {
  const unavailable = instances.flatMap(({ crd: { kind }, type, unavailable: message }) =>
    message === undefined ? [] : [{ kind, apiVersion: apiVersionOf(type), message }],
  );
  return {
    instances: instances.reduce((sum, { total }) => sum + total, 0),
    blockers: firstBlockers(instances.flatMap(({ crd, items }) => blockersOf(crd.kind, items))),
    ...(unavailable.length === 0 ? {} : { unavailable }),
  };
}

const NAMED = 10;

/**
 * `3 instances: Cache team-a/one, …`: at most ten by name, with what holds those that hang; then `an unknown number of Part instances, which cannot be
 * listed: …`.
 */
export function instancesSentence(facts: readonly InstancesFact[]): string {
  const { instances, blockers, unavailable = [] } = deletionStatus(facts);
  const named = listInShort(blockers.map(blockerSentence), NAMED, instances);
  const counted = `${instances} ${instances === 1 ? 'instance' : 'instances'}: ${named}`;
  const unknown = unavailable.map(({ kind, message }) => `an unknown number of ${kind} instances, which cannot be listed: ${message}`);
  return [...(instances === 0 ? [] : [counted]), ...unknown].join('; ');
}

/** Uninstalls the release of an Operator that is being deleted; without the hooks of its chart where the Operator says so. */
export async function uninstall(work: Work): Promise<'Done' | 'Busy'> {
  const { ports, release, operator } = work;
  const hooks = operator.metadata.annotations?.[SKIP_HOOKS] === 'true' ? ({ hooks: 'skipped' } as const) : {};
  const outcome = await withReleaseLease(work, (signal) => ports.helm.uninstall({ ...release, ...hooks }, signal));
  if (outcome === 'Done') ports.log.info('The release of an Operator was uninstalled', { operator: operator.metadata.name, ...release });
  return outcome;
}

/** The hooks of a release that run when it is uninstalled. */
interface DeletionHooks {
  /** How many there are. */
  readonly count: number;
  /** Those whose object exists: helm cannot make it, or waits for it. */
  readonly live: readonly LiveHook[];
}

interface LiveHook {
  /** `Job ops/cleanup`. */
  readonly what: string;
  /** The command that deletes it. */
  readonly kubectl: string;
}

const DELETION = ['pre-delete', 'post-delete'];
const HOOK = 'helm.sh/hook';

/** What of a release's hooks for its deletion is in the cluster. */
export async function observeDeletionHooks({ ports, release, signal }: Work): Promise<DeletionHooks> {
  const hooks = await hooksOf(ports.helm, release, signal);
  const kinds = await ports.discovery.kinds(signal);
  const live: LiveHook[] = [];
  for (const hook of hooks) {
    const kind = kinds.find((served) => apiVersionOf(served) === hook.apiVersion && served.kind === hook.kind);
    if (kind === undefined) continue;
    const namespace = kind.namespaced ? (hook.metadata.namespace ?? release.namespace) : undefined;
    const { name } = hook.metadata;
    const found = await ifFound(ports.cluster.get({ ...kind, name, ...(namespace === undefined ? {} : { namespace }) }, { signal }));
    if (found !== undefined) live.push(liveHook(kind, { name, namespace }));
  }
  return { count: hooks.length, live };
}

async function hooksOf(helm: Work['ports']['helm'], release: Work['release'], signal: AbortSignal): Promise<readonly KubeObject[]> {
  try {
    return (await helm.hooks(release, signal)).filter((object) => isHookOf(object, DELETION));
  } catch (error) {
    if (isAppError(error, 'NotFound', 'HelmFailed', 'InvalidInput')) return [];
    throw error;
  }
}

function liveHook({ kind, resource, group }: ServedKind, { name, namespace }: { name: string; namespace: string | undefined }): LiveHook {
  const type = group === '' ? resource : `${resource}.${group}`;
  const where = namespace === undefined ? '' : ` --namespace ${quoted(namespace)}`;
  return {
    what: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    kubectl: `kubectl delete ${type} ${quoted(name)}${where}`,
  };
}

/** Whether an object is a hook of Helm for one of these events, e.g. `pre-delete`. */
function isHookOf({ metadata }: KubeObject, events: readonly string[]): boolean {
  const hooks = metadata.annotations?.[HOOK]?.split(',').map((event) => event.trim()) ?? [];
  return hooks.some((event) => events.includes(event));
}
