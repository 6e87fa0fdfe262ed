import { isObject, textAt } from '../core/read.ts';
import { isSame } from '../core/merge-patch.ts';
import { isBuiltInGroup } from '../kubernetes/resource-types.ts';
import { type Json, type JsonObject, parseApiVersion } from '../kubernetes/resource.ts';

/*
 * Strategic merge patches as kustomize applies them: maps are merged, null deletes, lists are replaced. Lists of the kinds that Kubernetes itself serves
 * are merged by the key that tells their items apart (`patchMergeKey` of the Kubernetes API). `$patch: delete` and `$patch: replace` are directives.
 */

/** What tells the items of a list apart, by the name of the list. Kinds of CRDs have no such keys. */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  env: ['name'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  imagePullSecrets: ['name'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  resourceClaims: ['name'],
  webhooks: ['name'],
};
const DIRECTIVE = '$patch';

/** Lays a strategic merge patch over a resource; neither is changed. */
export function strategicMerge(resource: JsonObject, patch: JsonObject): JsonObject {
  return mergeMaps(resource, patch, isMergedByKey(resource));
}

/** The patch that turns one resource into another: what is gone is null, lists are whole. */
export function strategicPatchBetween(from: JsonObject, to: JsonObject): JsonObject {
  return patchBetween(from, to, isMergedByKey(from));
}

/** Whether a patch deletes the resource that it names. */
export function isDeletion(patch: JsonObject): boolean {
  return patch[DIRECTIVE] === 'delete';
}

function isMergedByKey(resource: JsonObject): boolean {
  const { group } = parseApiVersion(textAt(resource, 'apiVersion') ?? '');
  return group === '' || !group.includes('.') || isBuiltInGroup(group);
}

function mergeMaps(lower: JsonObject, patch: JsonObject, byKey: boolean): JsonObject {
  const { [DIRECTIVE]: directive, ...members } = patch;
  if (directive === 'delete') return {};
  if (directive === 'replace') return members;
  const kept = Object.entries(lower).flatMap(([name, value]): [string, Json | undefined][] => {
    if (!Object.hasOwn(members, name)) return [[name, value]];
    const merged = mergeValues(value, members[name], { name, byKey });
    return merged === undefined ? [] : [[name, merged]];
  });
  const added = Object.entries(members).flatMap(([name, value]): [string, Json | undefined][] => {
    if (Object.hasOwn(lower, name)) return [];
    const merged = mergeValues(undefined, value, { name, byKey });
    return merged === undefined ? [] : [[name, merged]];
  });
  return Object.fromEntries([...kept, ...added]);
}

interface Place {
  /** Of the member. */
  readonly name: string;
  readonly byKey: boolean;
}

/** @returns undefined when the patch takes the value away. */
function mergeValues(lower: Json | undefined, patch: Json | undefined, { name, byKey }: Place): Json | undefined {
  if (patch === null || patch === undefined) return undefined;
  if (Array.isArray(patch))
    return mergeLists(Array.isArray(lower) ? (lower as readonly Json[]) : [], patch as readonly Json[], { name, byKey });
  if (!isMap(patch)) return patch;
  if (patch[DIRECTIVE] === 'delete') return undefined;
  return mergeMaps(isMap(lower) ? lower : {}, patch, byKey);
}

function mergeLists(lower: readonly Json[], patch: readonly Json[], { name, byKey }: Place): readonly Json[] {
  const items = patch.filter((item) => !isDirective(item, 'replace'));
  if (items.length < patch.length) return items;
  const keys = byKey ? MERGE_KEYS[name] : undefined;
  if (keys === undefined || ![...lower, ...patch].every((item) => isMap(item) && keys.every((key) => Object.hasOwn(item, key))))
    return patch;
  const isTwin = (a: Json, b: Json): boolean => isMap(a) && isMap(b) && keys.every((key) => isSame(a[key], b[key]));
  const kept = lower.flatMap((item): Json[] => {
    const twin = patch.find((one) => isTwin(one, item));
    if (!isMap(item) || !isMap(twin)) return [item];
    return isDirective(twin, 'delete', true) ? [] : [mergeMaps(item, twin, byKey)];
  });
  const added = patch.filter((item) => !isDirective(item, 'delete', true) && !lower.some((one) => isTwin(one, item)));
  // kustomize puts new items in front.
  return [...added, ...kept];
}

function isDirective(item: Json, directive: 'delete' | 'replace', withKeys = false): boolean {
  return isMap(item) && item[DIRECTIVE] === directive && (withKeys || Object.keys(item).length === 1);
}

function patchBetween(from: JsonObject, to: JsonObject, byKey: boolean): JsonObject {
  const gone = Object.keys(from).filter((name) => !Object.hasOwn(to, name));
  const changed = Object.entries(to).filter(([name, value]) => !Object.hasOwn(from, name) || !isSame(from[name], value));
  return Object.fromEntries([
    ...gone.map((name): [string, Json] => [name, null]),
    ...changed.map(([name, value]): [string, Json | undefined] => {
      const before = Object.hasOwn(from, name) ? from[name] : undefined;
      if (isMap(before) && isMap(value)) return [name, patchBetween(before, value, byKey)];
      const isKeyed = byKey && Array.isArray(value) && MERGE_KEYS[name] !== undefined;
      return [name, isKeyed ? [...(value as readonly Json[]), { [DIRECTIVE]: 'replace' }] : value];
    }),
  ]);
}

function isMap(value: Json | undefined): value is JsonObject {
  return isObject(value);
}
