import { type KeySource, mapSource } from '../../controller/controller.ts';
import { appDeployerOf } from '../../domain/app-definition/app-deployer.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Reflector } from '../../kube/watch/reflector.ts';
import type { WantedDeployers } from '../../reconcile/environment/app-deployers.ts';
import type { WatchedInstances } from '../app-instance/watch-instances.ts';
import { namespaceOf } from './watch-generated.ts';

/** The AppDefinitions that have instances in a namespace. */
export interface DefinitionsInNamespaces {
  readonly definitionsIn: (namespace: string) => { readonly definitions: ReadonlySet<string>; readonly isListed: boolean };
  /** `<AppDefinition>/<namespace>` of each instance that has come, changed or gone. */
  readonly definitions: KeySource;
}

interface DeployersInput extends DefinitionsInNamespaces {
  readonly appDefinitions: Pick<Reflector, 'get' | 'synced'>;
  readonly environments: Pick<Reflector, 'all'>;
}

interface WatchedDeployers {
  readonly wantedIn: (namespace: string) => WantedDeployers;
  /** The names of Environments in which an app with an account of its own has its first instance, or has lost its last one. */
  readonly changes: KeySource;
}

/** Which apps have an account of their own in which namespaces: those with `spec.permissions` and an instance. */
export function watchDeployers({ appDefinitions, environments, definitionsIn, definitions }: DeployersInput): WatchedDeployers {
  const there = new Set<string>();
  const asking = (name: string): KubeObject | undefined => {
    const definition = appDefinitions.get(name);
    const { spec } = definition ?? {};
    // Releases in dedicated namespaces have the account there.
    return listAt(spec, 'permissions').length === 0 || textAt(spec, 'namespaceMode') === 'Dedicated' ? undefined : definition;
  };
  const changedIn = (key: string): string[] => {
    const [definition = '', namespace = ''] = key.split('/');
    const isThere = asking(definition) !== undefined && definitionsIn(namespace).definitions.has(definition);
    if (isThere === there.has(key)) return [];
    if (isThere) there.add(key);
    else there.delete(key);
    return environments.all().flatMap((one) => (namespaceOf(one) === namespace ? [one.metadata.name] : []));
  };
  return {
    wantedIn: (namespace) => {
      const { definitions: names, isListed } = definitionsIn(namespace);
      const asked = [...names].sort().flatMap((name) => asking(name) ?? []);
      return { deployers: asked.flatMap((one) => appDeployerOf(one) ?? []), isListed: isListed && appDefinitions.synced() };
    },
    changes: mapSource(definitions, changedIn),
  };
}

/** @param crds all CustomResourceDefinitions. */
export function definitionsInNamespaces(
  instances: Pick<WatchedInstances, 'keys' | 'kindOf' | 'onChange' | 'synced'>,
  crds: Pick<Reflector, 'synced'>,
): DefinitionsInNamespaces {
  const definitionOf = (key: string): string | undefined => instances.kindOf(key.split('/')[0] ?? '')?.definition;
  return {
    definitionsIn: (namespace) => {
      const keys = instances.keys((_kind, { metadata }) => metadata.namespace === namespace);
      const definitions = new Set(keys.flatMap((key) => definitionOf(key) ?? []));
      return { definitions, isListed: crds.synced() && instances.synced() };
    },
    definitions: mapSource(instances, (key) => {
      const [definition, namespace = ''] = [definitionOf(key), key.split('/')[1]];
      return definition === undefined ? [] : [`${definition}/${namespace}`];
    }),
  };
}
