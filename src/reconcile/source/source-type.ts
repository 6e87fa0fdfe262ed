import { OURS } from '../../domain/kubernetes/names.ts';
import type { ResourceType } from '../../domain/kubernetes/resource.ts';

export const CATALOG_SOURCE: ResourceType = { group: OURS.group, version: OURS.version, resource: 'catalogsources' };
