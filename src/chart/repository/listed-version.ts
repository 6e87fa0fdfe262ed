import valid from 'semver/functions/valid.js';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { normalDigest, type OfferedVersion } from './repository.ts';

/** What we keep of a version in the index of a repository. All of it is foreign. */
export interface ListedVersion extends OfferedVersion {
  readonly appVersion?: string;
  /** As it is written; mostly RFC 3339. */
  readonly created?: string;
  /** At most 500 characters. */
  readonly description?: string;
  readonly deprecated?: true;
}

/** The keys of an entry that `listedVersion` reads. */
export const LISTED_KEYS: ReadonlySet<string> = new Set([
  'version',
  'urls',
  'digest',
  'appVersion',
  'created',
  'description',
  'deprecated',
]);

const VERSION_CHARACTERS = 256;
const ADDRESS_CHARACTERS = 4096;
const DESCRIPTION_CHARACTERS = 500;

/** One entry of a chart; undefined when it has no semantic version, or no address. */
export function listedVersion(entry: Json | undefined): ListedVersion | undefined {
  if (!isMap(entry)) return undefined;
  const { version, urls, digest, deprecated } = entry;
  const [address] = Array.isArray(urls) ? (urls as readonly Json[]) : [];
  if (typeof version !== 'string' || version.length > VERSION_CHARACTERS || valid(version, { loose: true }) === null) return undefined;
  if (typeof address !== 'string' || address === '' || address.length > ADDRESS_CHARACTERS) return undefined;
  const isDigest = typeof digest === 'string' && /^(sha256:)?[0-9a-f]{64}$/i.test(digest);
  return {
    version,
    address,
    ...(isDigest ? { digest: normalDigest(digest) } : {}),
    ...shortText(entry, 'appVersion', VERSION_CHARACTERS),
    ...shortText(entry, 'created', VERSION_CHARACTERS),
    ...shortText(entry, 'description', DESCRIPTION_CHARACTERS),
    ...(deprecated === true ? { deprecated } : {}),
  };
}

/** Versions that look like numbers are written without quotes all over the world. */
function shortText<K extends string>(entry: JsonObject, key: K, characters: number): { [P in K]?: string } {
  const value = entry[key];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return {};
  return { [key]: String(value).slice(0, characters) } as { [P in K]?: string };
}

function isMap(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
