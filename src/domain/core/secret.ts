import { inspect } from 'node:util';

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
