import { stringifyJson } from '../core/exact-json.ts';
import { isObject, listAt, objectAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** What one field manager has set, by one operation. */
export interface FieldManager {
  readonly manager: string;
  /** `Apply` (server-side apply) or `Update`. */
  readonly operation: string;
  /** Such as `status`; empty for the resource itself. */
  readonly subresource: string;
  readonly apiVersion: string;
  /** RFC 3339; empty when unknown. */
  readonly time: string;
  /** `spec.template.spec.containers[name="shop"].image`. */
  readonly fields: readonly string[];
  /** Fields that are not listed, because there are too many. */
  readonly more: number;
}

const MAX_MANAGERS = 50;
const MAX_FIELDS = 300;
const MAX_FIELD_LENGTH = 300;

/** Who set which fields, the newest first (`metadata.managedFields`, FieldsV1). */
export function fieldManagersOf({ metadata }: KubeObject): FieldManager[] {
  const managers = listAt(metadata, 'managedFields').map((entry): FieldManager => {
    const fields: string[] = [];
    collect(objectAt(entry, 'fieldsV1'), '', fields);
    return {
      manager: textAt(entry, 'manager') ?? '',
      operation: textAt(entry, 'operation') ?? '',
      subresource: textAt(entry, 'subresource') ?? '',
      apiVersion: textAt(entry, 'apiVersion') ?? '',
      time: textAt(entry, 'time') ?? '',
      fields: fields.slice(0, MAX_FIELDS),
      more: Math.max(0, fields.length - MAX_FIELDS),
    };
  });
  return managers.toSorted((a, b) => b.time.localeCompare(a.time)).slice(0, MAX_MANAGERS);
}

/** The api-server bounds the depth of objects, and so that of their fields. */
function collect(fields: Readonly<Record<string, unknown>>, path: string, found: string[]): void {
  for (const [key, below] of Object.entries(fields)) {
    if (key === '.') continue;
    const here = stepAfter(path, key);
    if (isObject(below) && Object.keys(below).some((name) => name !== '.')) collect(below, here, found);
    else found.push(here.slice(0, MAX_FIELD_LENGTH));
  }
}

/** `f:` is a member, `k:` an item of a list by its keys, `v:` an item of a set, `i:` one by its index. */
function stepAfter(path: string, key: string): string {
  const name = key.slice(2);
  switch (key.slice(0, 2)) {
    case 'k:':
      return `${path}[${keysOf(name)}]`;
    case 'v:':
    case 'i:':
      return `${path}[${name}]`;
    default:
      if (/[./]/.test(name)) return `${path}["${name}"]`;
      return path === '' ? name : `${path}.${name}`;
  }
}

/** `{"containerPort":80,"protocol":"TCP"}` as `containerPort=80, protocol="TCP"`. */
function keysOf(json: string): string {
  try {
    const keys = Object.entries(objectAt(JSON.parse(json) as unknown));
    return keys.map(([key, value]) => `${key}=${stringifyJson(value)}`).join(', ');
  } catch {
    return json;
  }
}
