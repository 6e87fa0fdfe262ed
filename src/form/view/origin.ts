import type { FallbackSource, FormNode } from '../model/form-node.ts';

/** Where values may come from, beside who fills in what is empty. The sets hold the paths of the fields that have such a value. */
export interface Origins {
  readonly preset?: { readonly title: string; readonly holds: ReadonlySet<string> };
  /** On edit: what is as the live object has it. */
  readonly live: ReadonlySet<string>;
}

const FALLBACKS: Readonly<Record<FallbackSource, string>> = {
  schema: 'Default',
  chart: 'Chart',
  operator: 'Catalogue',
  environment: 'Environment',
};

/** Who sets the value of a field, in a word or two; empty where it has none. */
export function originOf(
  node: FormNode,
  path: string,
  { origins, filled }: { readonly origins: Origins; readonly filled: boolean },
): string {
  if (node.kind === 'group') return '';
  const isLive = origins.live.has(path);
  if (!filled || (node.locked !== undefined && !isLive)) return node.fallbackSource === undefined ? '' : FALLBACKS[node.fallbackSource];
  if (isLive) return 'Live value';
  return origins.preset?.holds.has(path) === true ? `Preset ${origins.preset.title}` : 'You';
}
