/** What is understood of a value, and what looks wrong with it. A warning keeps nobody from sending it: only the schema does. */
export interface Advice {
  /** What it means, in words; empty where it says so itself. */
  readonly says: string;
  /** When it happens next, in order. */
  readonly next: readonly Date[];
  /** A sentence; empty where nothing looks wrong. */
  readonly warning: string;
}

const PLACEHOLDER = /\{\{|\$[({A-Z]|<[^>]*>|%[({]/;

export function warned(warning: string): Advice {
  return { says: '', next: [], warning };
}

/** A warning about a text that is not as usual. Placeholders such as `{{ host }}` are left alone. */
export function warnUnless(isUsual: boolean, value: string, warning: string): Advice | undefined {
  return isUsual || PLACEHOLDER.test(value) ? undefined : warned(warning);
}
