import { readFileSync, writeFileSync } from 'node:fs';
import { ERROR_TABLE } from '../src/domain/core/error-table.ts';

/** `npm run docs`: writes the sections of docs/errors.md from the table of errors; what stands above them is written by hand. */
const ERRORS = new URL('../docs/errors.md', import.meta.url);
const FIRST_SECTION = '\n## `';

/** The page of errors as it has to be. */
export function errorsPage(): string {
  const [introduction = ''] = readFileSync(ERRORS, 'utf8').split(FIRST_SECTION);
  const sections = Object.entries(ERROR_TABLE).map(
    ([code, { status, title, meaning, remedy }]) =>
      `${FIRST_SECTION}${code}\`\n\n**${status}, ${title}.** ${meaning}\n\nWhat to do: ${remedy}\n`,
  );
  return `${introduction.trimEnd()}\n${sections.join('')}`;
}

if (import.meta.main) writeFileSync(ERRORS, errorsPage());
