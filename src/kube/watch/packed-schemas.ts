import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { parseJson, stringifyJson } from '../../domain/core/exact-json.ts';
import { isObject, listAt } from '../../domain/core/read.ts';
import type { Json, JsonObject, KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';

/** Characters of JSON; parsed, they take one to four times as much. */
const PARSED_LIMIT = 4 * 1024 * 1024;
/** The repetitions of schemas are found at once; better compression takes ten times as long. */
const FAST = { level: 1 } as const;

/**
 * What keeps CRDs in little memory: nearly all of a CRD are the properties of its schemas, and few schemas are read at a time. They are held compressed, and
 * parsed when somebody reads `properties`; everything else of the CRD is there as it was. The result is read like the CRD itself.
 *
 * @param limit how many characters of schemas stay parsed, those that were read last; the very last one stays in any case.
 */
export function createSchemaPacker(limit = PARSED_LIMIT): (crd: KubeObject) => KubeObject {
  const parsed = createParsedCache(limit);
  return (crd) => {
    const versions = listAt(crd.spec, 'versions').map((version) => packVersion(version, parsed));
    return isObject(crd.spec) && versions.length > 0 ? { ...crd, spec: { ...crd.spec, versions } } : crd;
  };
}

/** The cluster, for whoever holds many CRDs at once: each that is got by its name is packed. */
export function packCrds(cluster: Cluster): Cluster {
  const pack = createSchemaPacker();
  const isCrd = ({ group, resource }: ResourceType): boolean =>
    group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions';
  return {
    ...cluster,
    get: async (ref, options) => {
      const object = await cluster.get(ref, options);
      return isCrd(ref) ? pack(object) : object;
    },
  };
}

function packVersion(version: unknown, parsed: ParsedCache): unknown {
  if (!isObject(version) || !isObject(version['schema'])) return version;
  const { openAPIV3Schema: root } = version['schema'];
  if (!isObject(root) || !isObject(root['properties'])) return version;
  const packed = deflateRawSync(stringifyJson(root['properties']), FAST);
  const members = Object.entries(root).map(([key, value]): [string, PropertyDescriptor] => [
    key,
    { enumerable: true, ...(key === 'properties' ? { get: () => parsed.read(packed) } : { value }) },
  ]);
  return { ...version, schema: { ...version['schema'], openAPIV3Schema: Object.defineProperties({}, Object.fromEntries(members)) } };
}

interface ParsedCache {
  read(packed: Buffer): Json;
}

/** What was read last, by what it is made of. One schema is kept, however large. */
function createParsedCache(limit: number): ParsedCache {
  const known = new LRUCache<Buffer, { readonly value: Json; readonly size: number }>({
    maxSize: limit,
    sizeCalculation: ({ size }) => Math.max(1, Math.min(size, limit)),
  });
  return {
    read: (packed) => {
      const found = known.get(packed);
      if (found !== undefined) return found.value;
      const read = unpack(packed);
      known.set(packed, read);
      return read.value;
    },
  };
}

function unpack(packed: Buffer): { readonly value: JsonObject; readonly size: number } {
  const text = inflateRawSync(packed).toString('utf8');
  return { value: parseJson(text) as JsonObject, size: text.length };
}
