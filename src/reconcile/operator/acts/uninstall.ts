import { SKIP_HOOKS } from '../../../domain/operator/operator-spec.ts';
import { withReleaseLease } from './with-release-lease.ts';
import type { Work } from '../work.ts';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { isAppError } from '../../../domain/core/errors.ts';
import { quoted } from '../../../domain/instance/instance-commands.ts';
import { apiVersionOf, type KubeObject, type ServedKind } from '../../../domain/kubernetes/resource.ts';

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
