import { booleanAt, isObject, listAt, objectAt, textAt } from '../core/read.ts';
import type { DriftRule } from './kind/upgrade-fields.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** One field of an object that is not as the release has it. It holds no value. */
export interface Drift {
  /** `Deployment ns/name` */
  readonly object: string;
  /** `spec.replicas`; empty when the object is gone. */
  readonly path: string;
  /** Who else has written the field, as the api-server tells. */
  readonly managers: readonly string[];
}

const MAX_PATHS = 50;
/** What the api-server writes itself. */
const SERVER_FIELDS = new Set(['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp', 'selfLink']);

/**
 * Where an object differs from what it would be after it was applied again, the api-server's own fields and `status` aside. At most fifty paths.
 *
 * @param wanted the answer of a dry run, so that defaults and other spellings of a value make no difference.
 */
export function differencesOf(live: KubeObject, wanted: KubeObject): string[] {
  const content = ({ metadata, status: _status, ...rest }: KubeObject): object => ({
    ...rest,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !SERVER_FIELDS.has(name))),
  });
  return differences(content(live), content(wanted), '').slice(0, MAX_PATHS);
}

/** Whether somebody has said that the field may differ. */
export function isIgnored(path: string, { kind, metadata }: KubeObject, rules: readonly DriftRule[]): boolean {
  return rules.some(
    (rule) =>
      (rule.kind === undefined || rule.kind === kind) &&
      (rule.name === undefined || rule.name === metadata.name) &&
      rule.paths.some((ignored) => path === ignored || path.startsWith(`${ignored}.`) || path.startsWith(`${ignored}[`)),
  );
}

/**
 * The object with the live values of some fields, so that applying it leaves them as they are. A field in a list stands for the whole list: items have
 * no place of their own.
 */
export function keepLive(object: KubeObject, live: KubeObject, paths: readonly string[]): KubeObject {
  return paths.reduce((kept, path) => setAt(kept, live, path.split('[')[0]?.split('.') ?? []) as KubeObject, object);
}

function setAt(target: unknown, live: unknown, [name = '', ...rest]: readonly string[]): unknown {
  const members = objectAt(target);
  const { [name]: before, ...others } = members;
  const value = objectAt(live)[name];
  if (rest.length > 0) return { ...others, [name]: setAt(before, value, rest) };
  return value === undefined ? others : { ...others, [name]: value };
}

/** The field managers, other than the given one, that own a field or what is around it in a list. Sorted. */
export function managersOf(object: KubeObject, path: string, self: string): string[] {
  const names = path.split('[')[0]?.split('.') ?? [];
  const owns = (fields: unknown): boolean => {
    let node = objectAt(fields);
    for (const name of names) {
      if (!Object.hasOwn(node, `f:${name}`)) return false;
      node = objectAt(node, `f:${name}`);
    }
    return true;
  };
  const entries = listAt(object.metadata['managedFields']).filter((entry) => textAt(entry, 'subresource') === undefined);
  const others = entries.flatMap((entry) => {
    const manager = textAt(entry, 'manager') ?? '';
    return manager !== self && owns(objectAt(entry, 'fieldsV1')) ? [manager] : [];
  });
  return [...new Set(others)].sort();
}

/** Whether an autoscaler decides the replicas of the object. */
export function isScaledBy(autoscaler: KubeObject, { kind, metadata }: KubeObject): boolean {
  const target = objectAt(autoscaler.spec, 'scaleTargetRef');
  return booleanAt(autoscaler.spec, 'paused') !== true && target['kind'] === kind && target['name'] === metadata.name;
}

function differences(live: unknown, wanted: unknown, path: string): string[] {
  if (isObject(live) && isObject(wanted)) {
    const names = [...new Set([...Object.keys(live), ...Object.keys(wanted)])].sort();
    return names.flatMap((name) => differences(live[name], wanted[name], path === '' ? name : `${path}.${name}`));
  }
  if (Array.isArray(live) && Array.isArray(wanted) && live.length === wanted.length) {
    return live.flatMap((item, index) => differences(item, wanted[index], `${path}[${index}]`));
  }
  return live === wanted ? [] : [path];
}
