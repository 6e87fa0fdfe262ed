import { randomBytes } from 'node:crypto';
import type { LiveObject } from './kube-object.ts';

/** A new password of 32 letters and digits: 190 bits, and nothing in it that a shell, a URL or a connection string would trip over. */
export function newPassword(random: (bytes: number) => Buffer = randomBytes): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  let password = '';
  while (password.length < 32) {
    // Bytes above the last full multiple are thrown away, so that every letter is as likely as every other.
    for (const byte of random(48)) if (byte < letters.length * 4) password += letters[byte % letters.length];
  }
  return password.slice(0, 32);
}

/** What a Secret holds now, decoded. Empty when there is none yet. */
export function decodeSecret(secret: LiveObject | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(secret?.data ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
}

/** Values as a Secret stores them. */
export function encodeSecret(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(values).sort(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]));
}

/** A password for each key: the one that is there stays, only a missing one is made. */
export function keepPasswords(
  keys: readonly string[],
  current: Readonly<Record<string, string>>,
  makePassword: () => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, current[key] ?? makePassword()]));
}
