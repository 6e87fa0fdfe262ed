import { isDeepStrictEqual } from 'node:util';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { CLUSTER_ROLE_BINDING, ROLE_BINDING } from '../../domain/kubernetes/resource-types.ts';
import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { operatorLabelValue } from '../../domain/operator/operator-spec.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { adminBindings, adminSubjects } from './admin-bindings.ts';

/** How soon a new admin is let in, and how soon a namespace that the chart makes is found. */
const AGAIN_MS = 5 * 60_000;
const NAMESPACE_MS = 10_000;
/** Who the admins are is asked once for all Operators that come at the same time. */
const REMEMBER_MS = 10_000;

export interface AdminAccessPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'list' | 'apply' | 'delete'>;
  /** An Operator by its key, `namespace/name`; undefined when it is gone. */
  readonly operator: (key: string) => KubeObject | undefined;
  /** Whether a namespace belongs to an Environment. */
  readonly isReserved: (namespace: string) => boolean;
  readonly now: () => Date;
}

/** Lets the admins read what their Operators run, namespace by namespace, and takes that permission back when an Operator is gone or moves. */
export function createAdminAccessReconciler(ports: AdminAccessPorts): Reconcile {
  const admins = rememberAdmins(ports);
  return async (key, signal) => {
    const [namespace = '', name = ''] = key.split('/');
    const operator = ports.operator(key);
    const labelSelector = `${OURS.operatorLabel}=${operatorLabelValue(namespace, name)}`;
    const live = (await ports.cluster.list(ROLE_BINDING, { labelSelector, signal })).items;
    const wanted = operator === undefined ? [] : adminBindings(operator, await admins(signal), ports.isReserved);
    await remove(ports, { bindings: live.filter((binding) => !wanted.some((one) => isSamePlace(one, binding))), signal });
    return await applyAll(ports, { wanted, live, signal });
  };
}

function rememberAdmins({ cluster, now }: AdminAccessPorts): (signal: AbortSignal) => Promise<readonly unknown[]> {
  let known: { readonly at: number; readonly subjects: Promise<readonly unknown[]> } | undefined;
  return async (signal) => {
    const at = now().getTime();
    if (known !== undefined && at - known.at < REMEMBER_MS) return await known.subjects;
    const subjects = cluster.list(CLUSTER_ROLE_BINDING, { signal }).then(({ items }) => adminSubjects(items));
    known = { at, subjects };
    subjects.catch(() => (known = undefined));
    return await subjects;
  };
}

interface Bindings {
  readonly wanted: readonly KubeObject[];
  readonly live: readonly KubeObject[];
  readonly signal: AbortSignal;
}

async function applyAll({ cluster }: AdminAccessPorts, { wanted, live, signal }: Bindings): Promise<ReconcileResult> {
  let requeueAfter = AGAIN_MS;
  for (const binding of wanted) {
    if (live.some((one) => isSamePlace(one, binding) && isDeepStrictEqual(one['subjects'], binding['subjects']))) continue;
    const written = await ifFound(cluster.apply(ROLE_BINDING, binding, { fieldManager: OURS.fieldManager, force: 'force', signal }));
    // The namespace is made when the release is installed.
    if (written === undefined) requeueAfter = NAMESPACE_MS;
  }
  return wanted.length === 0 ? {} : { requeueAfter };
}

/** A binding cannot change its role, so one for another role is another one. */
function isSamePlace(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.namespace === b.metadata.namespace && isDeepStrictEqual(a['roleRef'], b['roleRef']);
}

async function remove(
  { cluster }: AdminAccessPorts,
  { bindings, signal }: { bindings: readonly KubeObject[]; signal: AbortSignal },
): Promise<void> {
  for (const { metadata } of bindings) {
    const { name, namespace = '' } = metadata;
    await ifFound(cluster.delete({ ...ROLE_BINDING, namespace, name }, { signal }));
  }
}
