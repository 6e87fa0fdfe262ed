import { AppError } from './errors.ts';

const MILLISECONDS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/**
 * The milliseconds of a duration as our resources write it: whole hours, minutes and seconds, e.g. `1h30m`.
 *
 * @throws AppError `InvalidInput` for anything else.
 */
export function parseDuration(text: string): number {
  if (!/^([0-9]+[smh])+$/.test(text)) {
    throw new AppError('InvalidInput', `duration: ${JSON.stringify(text)}: write hours, minutes and seconds, for example 1h30m`);
  }
  const parts = text.match(/[0-9]+[smh]/g) ?? [];
  return parts.reduce((sum, part) => sum + Number(part.slice(0, -1)) * MILLISECONDS[unitOf(part)], 0);
}

function unitOf(part: string): keyof typeof MILLISECONDS {
  if (part.endsWith('h')) return 'h';
  return part.endsWith('m') ? 'm' : 's';
}
