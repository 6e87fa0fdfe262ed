import { choice, object, optional, text, type ValueOf } from '../kind/field.ts';

/** `spec.mesh`. */
export const meshField = object(
  {
    provider: choice(['Istio', 'Linkerd'], { description: 'The service mesh.' }),
    mode: choice(['Sidecar', 'Ambient'], {
      description: 'How pods join the mesh: by a sidecar, or, with Istio, by the ambient data plane.',
      default: 'Sidecar',
    }),
    revision: optional(
      text({
        description: 'The revision, or revision tag, of Istio. Default: that of the label istio-injection.',
        maxLength: 63,
        pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      }),
    ),
    mtls: choice(['Strict', 'Permissive'], {
      description: 'Strict: pods accept connections by mutual TLS of the mesh alone.',
      default: 'Strict',
    }),
  },
  {
    description: 'The service mesh whose identity the pods of the environment have.',
    rules: [
      {
        rule: "self.provider == 'Istio' || (!has(self.revision) && (!has(self.mode) || self.mode == 'Sidecar'))",
        message: 'mode Ambient and revision are those of Istio',
      },
    ],
  },
);

export type Mesh = ValueOf<typeof meshField>;

interface NamespaceMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The labels and annotations by which a mesh knows the namespace of an Environment. */
export function meshMetadata(mesh: Mesh | undefined): NamespaceMetadata {
  if (mesh === undefined) return { labels: {}, annotations: {} };
  const { provider } = mesh;
  switch (provider) {
    case 'Istio':
      return { labels: istioLabels(mesh), annotations: {} };
    case 'Linkerd': {
      const policy = mesh.mtls === 'Strict' ? { 'config.linkerd.io/default-inbound-policy': 'all-authenticated' } : {};
      return { labels: {}, annotations: { 'linkerd.io/inject': 'enabled', ...policy } };
    }
    default:
      return provider satisfies never;
  }
}

function istioLabels({ mode, revision }: Mesh): Record<string, string> {
  const ofRevision = revision === undefined ? {} : { 'istio.io/rev': revision };
  if (mode === 'Ambient') return { 'istio.io/dataplane-mode': 'ambient', ...ofRevision };
  return revision === undefined ? { 'istio-injection': 'enabled' } : ofRevision;
}

/** All that any mesh may put on the namespace, so that what another spec left is removed. */
export const MESH_LABELS = ['istio-injection', 'istio.io/rev', 'istio.io/dataplane-mode'] as const;
export const MESH_ANNOTATIONS = ['linkerd.io/inject', 'config.linkerd.io/default-inbound-policy'] as const;

/** The kind by which a cluster shows that it has the mesh; with Istio, also that of the object that rejects plain connections. */
export function meshKind({ provider }: Pick<Mesh, 'provider'>): { readonly group: string; readonly kind: string } {
  return provider === 'Istio' ? { group: 'security.istio.io', kind: 'PeerAuthentication' } : { group: 'policy.linkerd.io', kind: 'Server' };
}

/** What the environment has of a mesh, as a sentence. */
export function meshSentence({ provider, mode, revision, mtls }: Mesh): string {
  const how = provider === 'Linkerd' ? '' : ` ${mode.toLowerCase()}${revision === undefined ? '' : `, revision ${revision}`}`;
  return `${provider}${how}, ${mtls === 'Strict' ? 'mutual TLS only' : 'mutual TLS where both sides have it'}`;
}
