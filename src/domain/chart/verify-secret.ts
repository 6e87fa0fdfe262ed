import { createHash, createPublicKey } from 'node:crypto';
import { chartSecretInvalid, type ChartVerification, type VerifyProvider } from './chart-access.ts';
import { secretName } from './chart-secret.ts';
import { objectAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

const WANTED: Readonly<Record<VerifyProvider, { readonly pattern: RegExp; readonly advice: string }>> = {
  Provenance: { pattern: /\.(gpg|asc)$/, advice: '"pubring.gpg" or another that ends in .gpg or .asc, with OpenPGP public keys' },
  Cosign: { pattern: /\.pub$/, advice: '"cosign.pub" or another that ends in .pub, with a public key in PEM' },
};

/**
 * Reads the public keys of the Secret that `spec.chart.verify.secretRef` names.
 *
 * @throws AppError `ChartSecretInvalid` that names the Secret and the key.
 */
export function parseVerifySecret(object: KubeObject, provider: VerifyProvider): ChartVerification {
  const { pattern, advice } = WANTED[provider];
  const keys = Object.keys(objectAt(object, 'data'))
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => ({ name, bytes: Buffer.from(textAt(object, 'data', name) ?? '', 'base64') }));
  if (keys.length === 0) throw chartSecretInvalid(secretName(object), `it has no key ${advice}; add it`);
  return verificationWith(provider, secretName(object), keys);
}

/**
 * The policy that one of these keys has signed a chart.
 *
 * @param source where the keys come from, for sentences.
 * @throws AppError `ChartSecretInvalid` for a key of cosign that is none; OpenPGP keys are read when they are needed.
 */
export function verificationWith(provider: VerifyProvider, source: string, keys: ChartVerification['keys']): ChartVerification {
  if (provider === 'Cosign') for (const key of keys) checkPublicKey(source, key);
  const hash = createHash('sha256').update(`${provider}\n`);
  for (const { bytes } of keys) hash.update(createHash('sha256').update(bytes).digest());
  return { provider, source, keys, digest: hash.digest('hex') };
}

function checkPublicKey(source: string, { name, bytes }: ChartVerification['keys'][number]): void {
  const text = Buffer.from(bytes).toString('utf8');
  if (text.includes('PRIVATE KEY'))
    throw chartSecretInvalid(
      source,
      `its key "${name}" holds a private key; replace it with the public key, and consider the private key compromised`,
    );
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey(text);
    if (type === 'ec' || type === 'ed25519' || (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048)) return;
  } catch {
    // The sentence below is for this, too.
  }
  throw chartSecretInvalid(
    source,
    `its key "${name}" is no public key in PEM that cosign uses (ECDSA, Ed25519, or RSA of 2048 bits and more)`,
  );
}
