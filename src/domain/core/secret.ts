import { inspect } from 'node:util';
import { createSpellings, type Span } from '../sensitive/secret-spellings.ts';

/** A value that prints as `[secret]` wherever it is printed, logged or serialised. */
export interface Secret<T = string> {
  /** The value itself, for the one place that needs it. */
  reveal(): T;
  toString(): string;
  toJSON(): string;
}

const HIDDEN = '[secret]';

/** Wraps a value that must never be printed. */
export function secret<T>(value: T): Secret<T> {
  const hide = (): string => HIDDEN;
  return Object.freeze({ reveal: () => value, toString: hide, toJSON: hide, [inspect.custom]: hide });
}

const MASK = '[secret]';

/** The spellings of the secrets that were asked for last: messages come in series. */
const known = new WeakMap<readonly string[], (text: string) => readonly Span[]>();

/**
 * Takes every secret out of a text before anybody sees it, however it is spelled: in other letters, escaped for JSON, YAML, Go, HTML or an address, in base64,
 * base32 or hexadecimal, with other signs or lines between its letters, and any half of it or eight characters in a row. A secret of fewer than four
 * characters is only taken out where it stands as a word, or every message would be unreadable.
 */
export function redact(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || text === '') return text;
  const find = known.get(secrets) ?? createSpellings(secrets);
  known.set(secrets, find);
  let at = 0;
  const parts: string[] = [];
  for (const { start, end } of joined(find(text))) {
    parts.push(text.slice(at, start), MASK);
    at = end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(at);
}

function joined(spans: readonly Span[]): Span[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
