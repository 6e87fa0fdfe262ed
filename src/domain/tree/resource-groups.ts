import { textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** The groups that an object says it belongs to, beside its namespace and its owners. */
export interface ResourceGroups {
  /** The Helm release, `namespace/name`. */
  readonly release?: string;
  /** Inventories, ApplySets, Kustomizations, Applications and CatalogSources, by their ids; each once. */
  readonly inventories: readonly string[];
}

type Place = readonly ['labels' | 'annotations', key: string];

/** Where tools write the id of what they apply together, and what it is within. */
const INVENTORIES: readonly { readonly id: Place; readonly within?: Place }[] = [
  // cli-utils and kpt: on the inventory itself, and on what is in it.
  { id: ['labels', 'cli-utils.sigs.k8s.io/inventory-id'] },
  { id: ['annotations', 'config.k8s.io/owning-inventory'] },
  // kubectl apply --prune --applyset.
  { id: ['labels', 'applyset.kubernetes.io/id'] },
  { id: ['labels', 'applyset.kubernetes.io/part-of'] },
  {
    id: ['labels', 'kustomize.toolkit.fluxcd.io/name'],
    within: ['labels', 'kustomize.toolkit.fluxcd.io/namespace'],
  },
  { id: ['labels', 'helm.toolkit.fluxcd.io/name'], within: ['labels', 'helm.toolkit.fluxcd.io/namespace'] },
  { id: ['labels', 'argocd.argoproj.io/instance'] },
  { id: ['labels', OURS.sourceLabel] },
];

export function resourceGroupsOf(object: KubeObject): ResourceGroups {
  const read = (place: Place | undefined): string => (place === undefined ? '' : (textAt(object, 'metadata', ...place) ?? ''));
  const release = read(['annotations', 'meta.helm.sh/release-name']);
  const namespace = read(['annotations', 'meta.helm.sh/release-namespace']) || (object.metadata.namespace ?? '');
  const [application = ''] = read(['annotations', 'argocd.argoproj.io/tracking-id']).split(':');
  const marked = INVENTORIES.flatMap(({ id, within }) => {
    const [name, outer] = [read(id), read(within)];
    return name === '' ? [] : [outer === '' ? name : `${outer}/${name}`];
  });
  // Argo CD writes `namespace_name` for an Application outside its own namespace.
  const tracked = application === '' ? [] : [application.replace('_', '/')];
  return { ...(release === '' ? {} : { release: `${namespace}/${release}` }), inventories: [...new Set([...marked, ...tracked])].sort() };
}
