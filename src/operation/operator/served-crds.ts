import { at, booleanAt, listAt, textAt } from '../../domain/core/read.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import type { Ports } from '../ports.ts';

/** A definition that the api-server serves. */
export interface ServedCrd extends ResourceType {
  /** `<plural>.<group>` */
  readonly name: string;
  readonly kind: string;
}

/** The served ones of the definitions with these names, in their order. */
export function servedCrds({ catalog }: Pick<Ports, 'catalog'>, names: readonly string[]): ServedCrd[] {
  const known = new Map(catalog.customResourceDefinitions().map((crd) => [crd.metadata.name, crd]));
  return names.flatMap((name) => {
    const crd = known.get(name);
    const version = crd === undefined ? undefined : servedVersion(crd);
    if (crd === undefined || version === undefined) return [];
    const [group, resource, kind] = [['group'], ['names', 'plural'], ['names', 'kind']].map((path) => textAt(crd.spec, ...path) ?? '');
    return [{ name, group: group ?? '', version, resource: resource ?? '', kind: kind ?? '' }];
  });
}

/** The storage version while it is served, else the first one that is. */
function servedVersion({ spec, status }: KubeObject): string | undefined {
  const established = listAt(status, 'conditions').some((one) => at(one, 'type') === 'Established' && at(one, 'status') === 'True');
  const served = listAt(spec, 'versions').filter((version) => booleanAt(version, 'served') === true);
  const version = served.find((one) => booleanAt(one, 'storage') === true) ?? served[0];
  return established ? textAt(version, 'name') : undefined;
}
