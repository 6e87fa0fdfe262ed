import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { listAt } from '../domain/core/read.ts';
import { type Cluster, ifFound } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { CLUSTER_ROLE } from '../domain/kubernetes/resource-types.ts';

/** Who publishes ClusterRoles: they carry its label. */
export interface Publisher {
  readonly cluster: Pick<Cluster, 'apply' | 'delete' | 'get' | 'list'>;
  readonly label: string;
  readonly value: string;
  readonly signal: AbortSignal;
}

/** Kubernetes takes milliseconds; where it is slower, people get their permissions later than the App. */
const AGGREGATED_WITHIN_MS = 10_000;
const POLL_MS = 100;

/** Applies the ClusterRoles of a publisher that are not as wanted, and deletes its others. Resolves when Kubernetes has aggregated their rules into the roles that people have. */
export async function publishRoles(publisher: Publisher, wanted: readonly KubeObject[]): Promise<void> {
  const { cluster, signal } = publisher;
  const live = await liveRoles(publisher);
  const applied: KubeObject[] = [];
  for (const role of wanted) {
    const known = live.find(({ metadata }) => metadata.name === role.metadata.name);
    if (known !== undefined && isDeepStrictEqual(known['rules'], role['rules'])) continue;
    await cluster.apply(CLUSTER_ROLE, role, { fieldManager: OURS.fieldManager, force: 'force', signal });
    applied.push(role);
  }
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  await deleteRoles(
    publisher,
    live.filter(({ metadata }) => !names.has(metadata.name)),
  );
  await aggregated(publisher, applied);
}

/** Deletes all ClusterRoles of a publisher. */
export async function unpublishRoles(publisher: Publisher): Promise<void> {
  await deleteRoles(publisher, await liveRoles(publisher));
}

async function liveRoles({ cluster, label, value, signal }: Publisher): Promise<readonly KubeObject[]> {
  return (await cluster.list(CLUSTER_ROLE, { labelSelector: `${label}=${value}`, signal })).items;
}

async function deleteRoles({ cluster, signal }: Publisher, roles: readonly KubeObject[]): Promise<void> {
  for (const { metadata } of roles) await ifFound(cluster.delete({ ...CLUSTER_ROLE, name: metadata.name }, { signal }));
}

/** An App whose permissions are on their way cannot be installed yet. A role that the cluster does not have is not waited for. */
async function aggregated({ cluster, signal }: Publisher, roles: readonly KubeObject[]): Promise<void> {
  const end = Date.now() + AGGREGATED_WITHIN_MS;
  for (const [name, rules] of rulesByAggregate(roles)) {
    for (;;) {
      const aggregate = await ifFound(cluster.get({ ...CLUSTER_ROLE, name }, { signal }));
      const has = listAt(aggregate, 'rules');
      if (aggregate === undefined || rules.every((rule) => has.some((one) => isDeepStrictEqual(one, rule)))) break;
      if (Date.now() > end) return;
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}

/** The rules that each aggregated role is to have, by its name. */
function rulesByAggregate(roles: readonly KubeObject[]): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>();
  for (const role of roles) {
    for (const label of Object.keys(role.metadata.labels ?? {}).filter((key) => key.startsWith(OURS.aggregateLabel))) {
      const name = `chandlery-${label.slice(OURS.aggregateLabel.length)}`;
      found.set(name, [...(found.get(name) ?? []), ...listAt(role, 'rules')]);
    }
  }
  return found;
}
