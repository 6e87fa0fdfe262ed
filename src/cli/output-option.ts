import { AppError } from '../domain/core/errors.ts';

export type Output = 'lines' | 'json';

/**
 * Takes `-o FORMAT`, `-oFORMAT` or `--output FORMAT` out of the arguments of a command.
 *
 * @throws AppError `ConfigInvalid` for another format than `json`.
 */
export function takeOutput(command: string, argv: readonly string[]): { readonly output: Output; readonly rest: readonly string[] } {
  const at = argv.findIndex((word) => /^(-o|--output)/.test(word));
  if (at < 0) return { output: 'lines', rest: argv };
  const [word = '', next] = argv.slice(at);
  const inline = /^(?:-o=?|--output=)(.+)$/.exec(word)?.[1];
  const output = inline ?? next;
  if (output !== 'json' && output !== 'lines') {
    throw new AppError('ConfigInvalid', `${command}: -o: ${JSON.stringify(output ?? '')} is not one of lines, json`);
  }
  return { output, rest: argv.toSpliced(at, inline === undefined ? 2 : 1) };
}
