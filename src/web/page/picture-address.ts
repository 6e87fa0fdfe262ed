import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Of this process: addresses of pictures are good as long as it lives, and nobody else can make one. */
const KEY = randomBytes(32);
const MAX_LENGTH = 2048;

/**
 * Where we serve the picture at an https address, so that browsers fetch nothing from strangers. Only addresses that our own pages name are served: we are no
 * proxy for others. Undefined for what is no https address.
 */
export function pictureAddress(address: string): string | undefined {
  if (!/^https:\/\//i.test(address) || address.length > MAX_LENGTH || !URL.canParse(address)) return undefined;
  return `/pictures/${sign(address).toString('base64url')}/${Buffer.from(address).toString('base64url')}`;
}

/** The address that a path of `pictureAddress` stands for; undefined when it is none of ours. */
export function pictureOf(signature: string, encoded: string): string | undefined {
  const address = Buffer.from(encoded, 'base64url').toString('utf8');
  const [given, expected] = [Buffer.from(signature, 'base64url'), sign(address)];
  return given.length === expected.length && timingSafeEqual(given, expected) ? address : undefined;
}

function sign(address: string): Buffer {
  return createHmac('sha256', KEY).update(address).digest();
}
