import { OURS } from '../../domain/names.ts';
import type { ResourceType } from '../../domain/resource.ts';

export const CATALOG_SOURCE: ResourceType = { group: OURS.group, version: OURS.version, resource: 'catalogsources' };
