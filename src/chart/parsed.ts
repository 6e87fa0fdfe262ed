import { AppError } from '../domain/core/errors.ts';
import type { JobOutcome } from '../thread/thread-host.ts';

interface ParserBounds {
  /** For messages: `its files`. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly memoryMib: number;
}

/**
 * What a parser in a thread found.
 *
 * @throws AppError `ChartInvalid` when the time or the memory was used up.
 */
export function parsedOf<T>(outcome: JobOutcome<T>, { what, timeoutMs, memoryMib }: ParserBounds): T {
  const invalid = (how: string): AppError => new AppError('ChartInvalid', `${what} could not be parsed ${how}`);
  switch (outcome.kind) {
    case 'Result':
      return outcome.result;
    case 'Late':
      throw invalid(`in ${timeoutMs / 1000} s`);
    case 'OutOfMemory':
      throw invalid(`in ${memoryMib} MiB`);
    case 'TooDeep':
      throw invalid('because of how deeply it is nested');
    case 'Died':
      throw outcome.why;
    default:
      return outcome satisfies never;
  }
}
