import { AppError } from '../core/errors.ts';

/* The values of settings as texts. Each function throws AppError `ConfigInvalid` that names the setting. */

/** An http or https address. */
export function urlOf(name: string, text: string): URL {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw bad(name, `${JSON.stringify(text)} is not an http or https address`);
  return new URL(text);
}

/** A host name of `--other-host`. */
export function hostOf(text: string): string {
  if (!/^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(text)) throw bad('other-host', `${JSON.stringify(text)} is not a host name without a port`);
  return text;
}

export function portOf(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw bad(name, `${JSON.stringify(text)} is not a port number from 0 to 65535`);
  return port;
}

export function countOf(name: string, text: string): number {
  if (!/^\d{1,2}$/.test(text)) throw bad(name, `${JSON.stringify(text)} is not a small whole number`);
  return Number(text);
}

const SPANS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a duration such as `90m`, `12h` or `30d`. */
export function durationOf(name: string, text: string, [least, most]: readonly [string, string]): number {
  const millisecondsOf = (span: string): number => {
    const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(span) ?? [];
    return Number(count) * (SPANS[unit] ?? 0);
  };
  const milliseconds = millisecondsOf(text);
  if (milliseconds < millisecondsOf(least) || milliseconds > millisecondsOf(most))
    throw bad(name, `${JSON.stringify(text)} is not a duration such as 90m, 12h or 30d, from ${least} to ${most}`);
  return milliseconds;
}

const UNITS: Readonly<Record<string, number>> = { Mi: 1024 ** 2, Gi: 1024 ** 3, Ti: 1024 ** 4 };

/** The bytes of a size such as `2Gi`. */
export function sizeOf(name: string, text: string, least: string): number {
  const bytesOf = (size: string): number => {
    const [, count = '', unit = ''] = /^(\d{1,6})(Mi|Gi|Ti)$/.exec(size) ?? [];
    return Number(count) * (UNITS[unit] ?? 0);
  };
  if (bytesOf(text) < bytesOf(least)) throw bad(name, `${JSON.stringify(text)} is not a size such as 2Gi, of at least ${least}`);
  return bytesOf(text);
}

/** What names of an issuer begin with. */
export function prefixOf(name: string, text: string): string {
  if (text === '' || text.startsWith('system:'))
    throw bad(name, 'it must not be empty nor begin with "system:", or a claim could name an account of the cluster');
  return text;
}

export function oneOf<T extends string>(name: string, text: string, words: readonly T[]): T {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw bad(name, `${JSON.stringify(text)} is not one of ${words.join(', ')}`);
  return word;
}

export function flag(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw bad(name, `${JSON.stringify(text)} is neither true nor false`);
}

/** A member for a setting that is there, and none for one that is not. */
export function maybe<K extends string, T>(key: K, text: string | undefined, parse: (text: string) => T): Partial<Record<K, T>> {
  return text === undefined ? {} : ({ [key]: parse(text) } as Record<K, T>);
}

/** The fault of a setting. */
export function bad(name: string, why: string): AppError {
  return new AppError('ConfigInvalid', `--${name}: ${why}`);
}
