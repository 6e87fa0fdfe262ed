import { booleanAt, listAt, textAt } from '../core/read.ts';

/** A Secret or ConfigMap that holds values of a chart. */
export interface ValuesFrom {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly key: string;
  /** Where the text of the key goes, for example `auth.password`; without it the text is a YAML map of values. */
  readonly targetPath?: string;
  readonly optional: boolean;
}

/** The key that is read when none is named. */
const DEFAULT_KEY = 'values.yaml';

/** Reads `spec.valuesFrom` as its schema has accepted it. */
export function parseValuesFrom(spec: unknown): readonly ValuesFrom[] {
  return listAt(spec, 'valuesFrom').map((item) => {
    const targetPath = textAt(item, 'targetPath');
    return {
      kind: textAt(item, 'kind') === 'Secret' ? 'Secret' : 'ConfigMap',
      name: textAt(item, 'name') ?? '',
      key: textAt(item, 'key') ?? DEFAULT_KEY,
      ...(targetPath === undefined ? {} : { targetPath }),
      optional: booleanAt(item, 'optional') ?? false,
    };
  });
}

/** `Secret db key password` */
export function sourceName({ kind, name, key }: ValuesFrom): string {
  return `${kind} ${name} key ${key}`;
}
