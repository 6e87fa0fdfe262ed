import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { messageOf } from '../../domain/core/errors.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import type { Log } from '../../observe/log.ts';

const DEPLOYMENTS: ResourceType = { group: 'apps', version: 'v1', resource: 'deployments' };
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5000;

interface Dependencies {
  readonly cluster: Pick<Cluster, 'list' | 'watch'>;
  readonly log: Log;
}

/** Calls `onChange` with all Deployments of the cluster, at first and after each change, until the signal aborts. A watch that breaks begins anew. */
export async function followDeployments(
  { cluster, log }: Dependencies,
  onChange: (deployments: readonly KubeObject[]) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let pause = FIRST_DELAY_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_DELAY_MS)) {
    try {
      const list = await cluster.list(DEPLOYMENTS, { signal });
      const current = new Map(list.items.map((item) => [keyOf(item), item]));
      onChange([...current.values()]);
      pause = FIRST_DELAY_MS;
      for await (const { type, object } of cluster.watch(DEPLOYMENTS, { resourceVersion: list.resourceVersion, signal })) {
        if (type === 'BOOKMARK') continue;
        if (type === 'DELETED') current.delete(keyOf(object));
        else current.set(keyOf(object), object);
        onChange([...current.values()]);
      }
    } catch (error) {
      if (!signal.aborted) log.debug('watching Deployments broke off', { reason: messageOf(error) });
    }
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
