import {
  CLUSTER_ISSUER,
  CONFIG_MAP,
  INGRESS_CLASS,
  ISSUER,
  type KnownType,
  PERSISTENT_VOLUME_CLAIM,
  PRIORITY_CLASS,
  SECRET,
  SERVICE_ACCOUNT,
  STORAGE_CLASS,
} from '../../domain/kubernetes/resource-types.ts';

/** A resource as the api-server serves it; `group` is empty for the core group. */
export interface ReferenceTarget {
  readonly group: string;
  /** The plural, as in addresses. */
  readonly resource: string;
  readonly kind: string;
}

/** What a text names: an object, or a key of the object that the member `of` beside it names. A better input, and no limit: any text may be typed. */
export type Reference = NameReference | { readonly to: ReferenceTarget; readonly part: 'key'; readonly of: string };

export interface NameReference {
  readonly to: ReferenceTarget;
  readonly part: 'name';
  /** The member beside it that names a key of the object. */
  readonly key?: string;
  /** The kinds that the member `kind` beside it chooses from, and the member that says their group. */
  readonly kinds?: { readonly to: readonly ReferenceTarget[]; readonly group?: string };
}

/** The Secrets of a namespace. */
export const SECRETS = targetOf(SECRET);
const CONFIG_MAPS = targetOf(CONFIG_MAP);
const STORAGE_CLASSES = targetOf(STORAGE_CLASS);
const CLAIMS = targetOf(PERSISTENT_VOLUME_CLAIM);
const ACCOUNTS = targetOf(SERVICE_ACCOUNT);
/** The issuers of cert-manager in a namespace. */
export const ISSUERS = targetOf(ISSUER);
/** The issuers of cert-manager for the whole cluster. */
export const CLUSTER_ISSUERS = targetOf(CLUSTER_ISSUER);
/** Kinds that a member `kind` may list. */
export const NAMED_KINDS: readonly ReferenceTarget[] = [SECRETS, CONFIG_MAPS, CLAIMS, ISSUERS, CLUSTER_ISSUERS];

/** What values of a chart come from, instances of other apps aside. */
export const VALUES_OBJECTS: readonly ReferenceTarget[] = [SECRETS, CONFIG_MAPS];

/** Names of text properties that hold the name of an object. `Ref` and `Name` are cut off before. */
const TEXTS: readonly (readonly [RegExp, ReferenceTarget])[] = [
  [/secret$/i, SECRETS],
  [/config[_-]?map$/i, CONFIG_MAPS],
  [/storage[_-]?class$/i, STORAGE_CLASSES],
  [/service[_-]?account$/i, ACCOUNTS],
  [/ingress[_-]?class$/i, targetOf(INGRESS_CLASS)],
  [/priority[_-]?class$/i, targetOf(PRIORITY_CLASS)],
  [/^(existing|pvc|volume)?[_-]?claim$|^persistent[_-]?volume[_-]?claim$|^existing[_-]?pvc$/i, CLAIMS],
  [/^issuer$/i, ISSUERS],
];
/** Names of properties that hold `{name}` or `{name, key}`. */
const GROUPS: readonly (readonly [RegExp, ReferenceTarget])[] = [
  [/secret(key)?$/i, SECRETS],
  [/config[_-]?map(key)?$/i, CONFIG_MAPS],
  [/storage[_-]?class$/i, STORAGE_CLASSES],
  [/service[_-]?account$/i, ACCOUNTS],
  [/^(persistent[_-]?volume)?claim$/i, CLAIMS],
  [/^(cluster)?issuer$/i, ISSUERS],
];
const SUFFIX = /[_-]?(references?|refs?|selectors?|names?)$/i;

/** What a text of this name points to. A description that speaks of a storage class makes one of a plain `class`. */
export function textTarget(key: string, words: string): ReferenceTarget | undefined {
  const stem = key.replace(SUFFIX, '');
  const named = TEXTS.find(([pattern]) => pattern.test(stem))?.[1];
  return named ?? (/^class(name)?$/i.test(key) && /\bstorage ?class\b/i.test(words) ? STORAGE_CLASSES : undefined);
}

/** What a group of this name, which looks like a reference, points to: by its name, else by its description when that speaks of one kind. */
export function groupTarget(key: string, words: string, kinds: readonly ReferenceTarget[]): ReferenceTarget | undefined {
  const stem = key.replace(SUFFIX, '');
  const named = GROUPS.find(([pattern]) => pattern.test(stem))?.[1];
  return named ?? ofKind(stem, kinds) ?? (SUFFIX.test(key) ? targetInWords(words) : undefined);
}

/** The kind of the catalogue that a name without its suffix is called after: `cluster`, `postgres-cluster`. */
export function ofKind(stem: string, kinds: readonly ReferenceTarget[]): ReferenceTarget | undefined {
  const plain = stem.replaceAll(/[_-]/g, '').toLowerCase();
  return kinds.find(({ kind }) => kind.toLowerCase() === plain);
}

/** The kind that a description speaks of when it speaks of exactly one. */
export function targetInWords(words: string): ReferenceTarget | undefined {
  const secret = /\bsecrets?\b/i.test(words);
  const configMap = /\bconfig ?maps?\b/i.test(words);
  if (secret === configMap) return undefined;
  return secret ? SECRETS : CONFIG_MAPS;
}

/** Whether objects of the kind have keys to choose from. */
export function hasKeys({ group, resource }: ReferenceTarget): boolean {
  return group === '' && (resource === SECRETS.resource || resource === CONFIG_MAPS.resource);
}

/** A name without what says that it is one: `clusterRef` reads `cluster`. */
export function withoutSuffix(key: string): string | undefined {
  return SUFFIX.test(key) ? key.replace(SUFFIX, '') : undefined;
}

function targetOf({ group, resource, kind }: KnownType): ReferenceTarget {
  return { group, resource, kind };
}
