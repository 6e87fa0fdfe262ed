import { relative } from 'node:path';
import type { run } from 'node:test';
import { inspect } from 'node:util';

/** Some values are whole pages. */
const MAX_CHARACTERS = 3000;

/** Calls back with the words for each test that fails: where it is, its name and its error. A suite fails with its tests and is not reported beside them. */
export function onFailure(stream: ReturnType<typeof run>, tell: (words: string) => void): void {
  stream.on('test:fail', ({ name, file, line, details: { error } }) => {
    const { failureType, cause } = error as Error & { failureType?: string };
    if (failureType === 'subtestsFailed') return;
    const place = file === undefined ? '' : `${relative(process.cwd(), file)}:${line ?? 1}: `;
    tell(`✖ ${place}${name}\n${inspect(cause ?? error).slice(0, MAX_CHARACTERS)}`);
  });
}
