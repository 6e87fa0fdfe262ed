import { relative } from 'node:path';
import { inspect } from 'node:util';

/** Some values are whole pages. */
const MAX_CHARACTERS = 6_000;

interface Failed {
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly details: { readonly error: Error };
}

/** Where a test failed, its name and its error; undefined for a suite that fails with its tests. */
export function failureText({ name, file, line, details: { error } }: Failed): string | undefined {
  const { failureType, cause } = error as Error & { failureType?: string };
  if (failureType === 'subtestsFailed') return undefined;
  const place = file === undefined ? '' : `${relative(process.cwd(), file)}:${line ?? 1}: `;
  return `✖ ${place}${name}\n${inspect(cause ?? error).slice(0, MAX_CHARACTERS)}`;
}
