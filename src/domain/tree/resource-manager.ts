import { listAt, textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** What keeps a resource in its desired state: a tool that marks its resources, or else whoever wrote most of its fields. */
export const MANAGERS = ['Flux', 'ArgoCD', 'Helm', 'GitLab', 'Chandlery', 'FieldManager'] as const;

export interface ResourceManager {
  readonly tool: (typeof MANAGERS)[number];
  /** The release, Kustomization, Application, project, Environment or field manager. */
  readonly name: string;
  /** Of the HelmRelease, Kustomization or release, when it is known. */
  readonly namespace?: string;
}

type Mark = (object: KubeObject) => ResourceManager | undefined;

/** By labels and annotations, the tool that calls others first: objects that Flux installs with Helm carry the labels of both. */
const MARKS: readonly Mark[] = [
  marked('Flux', ['labels', 'helm.toolkit.fluxcd.io/name'], ['labels', 'helm.toolkit.fluxcd.io/namespace']),
  marked('Flux', ['labels', 'kustomize.toolkit.fluxcd.io/name'], ['labels', 'kustomize.toolkit.fluxcd.io/namespace']),
  (object) => trackedBy(textAt(object, 'metadata', 'annotations', 'argocd.argoproj.io/tracking-id')),
  marked('ArgoCD', ['labels', 'argocd.argoproj.io/instance']),
  marked('Helm', ['annotations', 'meta.helm.sh/release-name'], ['annotations', 'meta.helm.sh/release-namespace']),
  marked('GitLab', ['annotations', 'app.gitlab.com/app']),
  marked('Chandlery', ['labels', OURS.environmentLabel]),
];

/** Undefined when nothing says who it is. */
export function managerOf(object: KubeObject): ResourceManager | undefined {
  for (const mark of MARKS) {
    const manager = mark(object);
    if (manager !== undefined) return manager;
  }
  const name = fieldManagerOf(object);
  return name === undefined ? undefined : { tool: 'FieldManager', name };
}

type Place = readonly ['labels' | 'annotations', key: string];

function marked(tool: ResourceManager['tool'], name: Place, namespace?: Place): Mark {
  return (object) => {
    const called = textAt(object, 'metadata', ...name);
    if (called === undefined || called === '') return undefined;
    const place = namespace === undefined ? undefined : textAt(object, 'metadata', ...namespace);
    return { tool, name: called, ...(place === undefined ? {} : { namespace: place }) };
  };
}

/** `application:group/Kind:namespace/name`; the application is `namespace_name` outside the namespace of Argo CD. */
function trackedBy(id: string | undefined): ResourceManager | undefined {
  const [application = ''] = (id ?? '').split(':');
  if (application === '') return undefined;
  const [namespace = '', ...rest] = application.split('_');
  return rest.length === 0 ? { tool: 'ArgoCD', name: application } : { tool: 'ArgoCD', namespace, name: rest.join('_') };
}

/** The first that wrote something else than a status. */
function fieldManagerOf(object: KubeObject): string | undefined {
  const entries = listAt(object, 'metadata', 'managedFields').filter((entry) => textAt(entry, 'subresource') === undefined);
  const byTime = entries.toSorted((a, b) => (textAt(a, 'time') ?? '').localeCompare(textAt(b, 'time') ?? ''));
  return byTime.map((entry) => textAt(entry, 'manager')).find((name) => name !== undefined && name !== '');
}
