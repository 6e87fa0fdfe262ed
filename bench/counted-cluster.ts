import type { Kube } from '../src/kube/kube.ts';

/** Calls to the api-server by what they were: `list secrets`. */
export interface CallCounts {
  /** Since the last time this was asked, the most frequent first. */
  take(): readonly (readonly [what: string, count: number])[];
}

const COUNTED = ['get', 'list', 'listMetadata', 'create', 'apply', 'applyStatus', 'replace', 'patch', 'delete', 'watch', 'watchMetadata'];

/** The same connection, with every call of the controller's own account counted. */
export function countCalls(kube: Kube): { readonly kube: Kube; readonly calls: CallCounts } {
  const counts = new Map<string, number>();
  const note = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const asController: Kube['asController'] = () =>
    new Proxy(kube.asController(), {
      get: (cluster, name, receiver) => {
        const method: unknown = Reflect.get(cluster, name, receiver);
        if (typeof method !== 'function' || !COUNTED.includes(String(name))) return method;
        return (first: { readonly resource: string }, ...rest: readonly unknown[]): unknown => {
          note(`${String(name)} ${first.resource}`);
          return (method as (...args: readonly unknown[]) => unknown)(first, ...rest);
        };
      },
    });
  const counted: Kube = {
    ...kube,
    asController,
    kubernetesVersion: (options) => {
      note('get version');
      return kube.kubernetesVersion(options);
    },
  };
  const take = (): readonly (readonly [string, number])[] => {
    const since = [...counts].sort(([, a], [, b]) => b - a);
    counts.clear();
    return since;
  };
  return { kube: counted, calls: { take } };
}
