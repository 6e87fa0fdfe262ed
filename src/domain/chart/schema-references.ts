import { isObject } from '../core/read.ts';
import type { JsonObject } from '../kubernetes/resource.ts';
import type { Subchart } from './subcharts.ts';

/** The dialects of JSON Schema that Helm has built in. Any other `$schema` would be fetched. */
const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft-0[467]\/|draft\/20(?:19-09|20-12)\/)?schema#?$/;
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

interface SchemaSource {
  /** values.schema.json. */
  readonly schema?: JsonObject;
  readonly subcharts?: readonly Subchart[];
}

/**
 * Whether the schemas of a chart and of all its subcharts refer to nothing but themselves. Helm would fetch everything else, from the network or from files of this machine, so
 * it validates values only where this holds.
 */
export function refersToItself({ schema, subcharts = [] }: SchemaSource): boolean {
  return (schema === undefined || isClosed(schema)) && subcharts.every(refersToItself);
}

function isClosed(node: unknown): boolean {
  if (Array.isArray(node)) return node.every(isClosed);
  if (!isObject(node)) return true;
  return Object.entries(node).every(([key, value]) => {
    if (REFERENCES.has(key) && typeof value === 'string') return value.startsWith('#');
    if (key === '$schema' && typeof value === 'string') return DIALECT.test(value);
    return isClosed(value);
  });
}
