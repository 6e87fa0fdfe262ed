import type { KubeObject, ServedKind } from '../../domain/kubernetes/resource.ts';

/** The field manager of what Helm applies. */
export const HELM_MANAGER = 'helm';

/** Where a release is. */
export interface ReleasePlace {
  readonly release: string;
  readonly namespace: string;
}

/** With what Helm adds when it applies; without it the object would be somebody else's. */
export function marked(object: KubeObject, { namespaced }: ServedKind, { release, namespace }: ReleasePlace): KubeObject {
  const { labels = {}, annotations = {}, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(namespaced ? { namespace: metadata.namespace ?? namespace } : {}),
      labels: { ...labels, 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { ...annotations, 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': namespace },
    },
  };
}

/** Whom an object belongs to that the release would have to take over, which Helm rejects; undefined when it is the release's own. */
export function foreignOwner({ annotations }: KubeObject['metadata'], { release, namespace }: ReleasePlace): string | undefined {
  const [name, place] = ['name', 'namespace'].map((part) => annotations?.[`meta.helm.sh/release-${part}`]);
  if (name === release && place === namespace) return undefined;
  return name === undefined ? 'it belongs to no release' : `it belongs to the release ${place ?? ''}/${name}`;
}

/** Hooks are made anew each time. */
export function isHook({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['helm.sh/hook'] !== undefined;
}
