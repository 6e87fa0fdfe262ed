import type { EnvironmentView } from '../domain/environment.ts';
import type { InstanceView } from '../domain/instance.ts';
import type { ResourceTree } from '../domain/tree.ts';
import { instancePath } from './paths.ts';
import { kindCounts } from './tree-view.ts';

export interface DeletePage {
  readonly name: string;
  readonly appName: string;
  readonly environment: string;
  readonly backHref: string;
  readonly action: string;
  /** Resources below the instance, by kind. */
  readonly counts: readonly string[];
  readonly unreadable: readonly string[];
  /** In production the name must be typed, so that a slip of the hand deletes nothing. */
  readonly typeName: boolean;
  readonly fault?: string;
  readonly faults: readonly { readonly message: string; readonly href: string }[];
  readonly warning: string;
  readonly command: string;
}

export function deletePage(
  reading: { readonly instance: InstanceView; readonly tree: ResourceTree },
  environment: EnvironmentView,
  fault?: string,
): DeletePage {
  const { instance, tree } = reading;
  const counts = kindCounts(tree);
  return {
    name: instance.name,
    appName: instance.appName,
    environment: environment.displayName === '' ? environment.name : environment.displayName,
    backHref: instancePath(instance),
    action: `${instancePath(instance)}/delete`,
    counts,
    unreadable: tree.unreadable,
    typeName: needsName(environment),
    ...(fault === undefined ? {} : { fault }),
    faults: fault === undefined ? [] : [{ message: fault, href: '#name' }],
    warning: warningOf(counts),
    command: `kubectl delete ${instance.app} ${instance.name} --namespace ${environment.namespace}`,
  };
}

function warningOf(counts: readonly string[]): string {
  return counts.some((count) => count.includes('PersistentVolumeClaim'))
    ? 'The data in its volumes goes with it. Make a backup first if you need it.'
    : 'What it stored goes with it. Make a backup first if you need it.';
}

export function needsName(environment: Pick<EnvironmentView, 'tier'>): boolean {
  return environment.tier === 'production';
}
