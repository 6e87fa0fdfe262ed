import { createHash, createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { ChartVerification } from '../../domain/chart/chart-access.ts';

/** A public key that cosign signs with. */
export interface SigningKey {
  readonly key: KeyObject;
  /** The key of the Secret that holds it. */
  readonly name: string;
  /** SHA-256 of its SubjectPublicKeyInfo, in hexadecimal. */
  readonly fingerprint: string;
}

export interface Signed {
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** The keys of a policy; they were checked when the Secret was read. */
export function readSigningKeys({ keys }: ChartVerification): readonly SigningKey[] {
  return keys.map(({ name, bytes }) => {
    const key = createPublicKey(Buffer.from(bytes).toString('utf8'));
    const fingerprint = createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('hex');
    return { key, name, fingerprint };
  });
}

/** `key SHA256:<hex> (cosign.pub)`. */
export function describeSigningKey({ name, fingerprint }: SigningKey): string {
  return `key SHA256:${fingerprint} (${name})`;
}

/** The key that made a signature; undefined when it was none of them. */
export function signerOf({ signed, signature }: Signed, keys: readonly SigningKey[]): SigningKey | undefined {
  return keys.find(({ key }) => hashesFor(key).some((hash) => verify(hash, signed, key, signature)));
}

/** Cosign takes SHA-256 with every curve; newer versions take the hash that fits it. */
const MORE_HASHES: ReadonlyMap<string | undefined, string> = new Map([
  ['secp384r1', 'sha384'],
  ['secp521r1', 'sha512'],
]);

function hashesFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly (string | undefined)[] {
  if (asymmetricKeyType === 'ed25519') return [undefined];
  const fitting = MORE_HASHES.get(asymmetricKeyDetails?.namedCurve);
  return fitting === undefined ? ['sha256'] : ['sha256', fitting];
}
