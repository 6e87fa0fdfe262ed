import type { ValuesFrom } from '../operator/kind/chart-fields.ts';

/** `Secret db key password` */
export function sourceName({ kind, name, key }: ValuesFrom): string {
  return `${kind} ${name} key ${key}`;
}
