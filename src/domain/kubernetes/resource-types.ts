import { OURS } from './names.ts';
import type { ResourceType } from './resource.ts';

/** A resource that the code knows by name. */
export interface KnownType extends ResourceType {
  readonly kind: string;
  readonly namespaced: boolean;
}

const ours = { group: OURS.group, version: OURS.version, namespaced: false } as const;

export const CATALOG_SOURCE: KnownType = { ...ours, resource: 'catalogsources', kind: 'CatalogSource' };
export const ENVIRONMENT: KnownType = { ...ours, resource: 'environments', kind: 'Environment' };
export const OPERATOR: KnownType = {
  group: OURS.operatorGroup,
  version: OURS.operatorVersion,
  resource: 'operators',
  kind: 'Operator',
  namespaced: true,
};
