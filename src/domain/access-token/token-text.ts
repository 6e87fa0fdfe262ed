import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'chp_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 40 letters of 62 are 238 bits. */
const RANDOM_LENGTH = 40;
/** 62⁶ is more than 2³². */
const CHECKSUM_LENGTH = 6;
const TEXT = /^chp_[0-9A-Za-z]{46}$/;

/** Whether a credential is meant to be a personal access token. No other token begins like this: a JWT begins with `ey`. */
export function isAccessToken(text: string): boolean {
  return text.slice(0, PREFIX.length).toLowerCase() === PREFIX;
}

/**
 * A new text: `chp_`, 40 random letters and digits, and 6 that are their checksum (CRC-32), by which a scanner for secrets tells a token from a word like one.
 *
 * @param random a number from 0 to below the bound, not to be foreseen.
 */
export function newTokenText(random: (bound: number) => number = randomInt): string {
  const letters = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(random(ALPHABET.length))).join('');
  return `${PREFIX}${letters}${checksumOf(letters)}`;
}

/** The digest by which a token is stored; undefined for a text that is none: cut short, or with another letter. */
export function tokenDigest(text: string): string | undefined {
  const letters = text.slice(PREFIX.length, -CHECKSUM_LENGTH);
  if (!TEXT.test(text) || checksumOf(letters) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  return createHash('sha256').update(text).digest('hex');
}

/** A text for logs, with what could be a token taken out. */
export function withoutTokens(text: string): string {
  return text.replaceAll(/chp_[0-9a-z]{16,}/gi, '[personal access token]');
}

function checksumOf(letters: string): string {
  let rest = crc32(letters);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
