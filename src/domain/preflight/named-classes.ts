import { isObject } from '../core/read.ts';

/** A cluster-wide class that a field names. */
export interface NamedClass {
  readonly field: string;
  readonly kind: 'StorageClass' | 'PriorityClass' | 'IngressClass' | 'RuntimeClass';
  readonly name: string;
}

const FIELDS: Readonly<Record<string, NamedClass['kind']>> = {
  storageClassName: 'StorageClass',
  storageClass: 'StorageClass',
  priorityClassName: 'PriorityClass',
  ingressClassName: 'IngressClass',
  runtimeClassName: 'RuntimeClass',
};
const DEEPEST = 24;
const MOST = 20;
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** The classes that a spec names by the usual fields, each once; parts that are switched off are left out. */
export function namedClasses(spec: unknown): NamedClass[] {
  const found = classesIn(spec, ['spec']);
  return [...new Map(found.map((one) => [`${one.kind} ${one.name}`, one])).values()].slice(0, MOST);
}

function classesIn(value: unknown, path: readonly string[]): NamedClass[] {
  if (path.length > DEEPEST) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => classesIn(item, [...path.slice(0, -1), `${path.at(-1) ?? ''}[${index}]`]));
  }
  if (!isObject(value) || value['enabled'] === false) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const kind = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    const named = kind !== undefined && typeof member === 'string' && member.length <= 253 && NAME.test(member);
    return named ? [{ field: [...path, key].join('.'), kind, name: member }] : classesIn(member, [...path, key]);
  });
}
