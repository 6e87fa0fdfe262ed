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
  readonly claims: boolean;
  readonly unreadable: readonly string[];
  /** In production the name must be typed, so that a slip of the hand deletes nothing. */
  readonly typeName: boolean;
  readonly fault?: string;
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
    claims: counts.some((count) => count.includes('PersistentVolumeClaim')),
    unreadable: tree.unreadable,
    typeName: needsName(environment),
    ...(fault === undefined ? {} : { fault }),
    command: `kubectl delete ${instance.app} ${instance.name} --namespace ${environment.namespace}`,
  };
}

export function needsName(environment: Pick<EnvironmentView, 'tier'>): boolean {
  return environment.tier === 'production';
}
