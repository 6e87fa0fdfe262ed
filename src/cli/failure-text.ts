import { ERROR_TABLE } from '../domain/core/error-table.ts';
import { type AppError, type FieldFault, sentenceOfFault } from '../domain/core/errors.ts';
import { manyLines } from './output.ts';

const WIDTH = 100;

/** What the terminal says of an error: what failed, its details, and what to do next. A wrong usage is one line. */
export function failureText(error: AppError): string {
  const message = `chandlery: ${manyLines(error.message)}\n`;
  if (error.code === 'ConfigInvalid') return message;
  const faults = error.faults.map(placedSentence).filter((sentence) => !error.message.includes(sentence));
  const { verb, group, resource, namespace } = error.missing ?? {};
  const missing =
    verb === undefined
      ? []
      : [
          `missing permission: ${verb} ${resource ?? ''}${group === '' ? '' : `.${group ?? ''}`}${namespace === undefined ? '' : ` in namespace ${namespace}`}`,
        ];
  const lines = [...faults, ...missing].map((line) => `  ${manyLines(line)}\n`);
  return `${message}${lines.join('')}${wrapped(`What to do: ${plain(ERROR_TABLE[error.code].remedy)}`)}`;
}

/** With the place in the file, where the fault has one. */
function placedSentence(fault: FieldFault): string {
  const { file, line } = fault;
  return file === undefined ? sentenceOfFault(fault) : `${file}${line === undefined ? '' : `:${line}`}: ${sentenceOfFault(fault)}`;
}

/** Markdown without its marks. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

function wrapped(text: string): string {
  const rows: string[] = [];
  for (const word of text.split(' ')) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(word);
  }
  return rows.map((row, index) => `${index === 0 ? '' : '  '}${row}\n`).join('');
}
