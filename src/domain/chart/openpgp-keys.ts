import { readKey, readKeys } from 'openpgp';
import type { Key, KeyID, PublicKey } from 'openpgp';
import { chartSecretInvalid } from './chart-access.ts';

const ARMORED = /-----BEGIN PGP PUBLIC KEY BLOCK-----[\s\S]+?-----END PGP PUBLIC KEY BLOCK-----/g;
const SHOWN_CHARACTERS = 100;

/** OpenPGP public keys, by the keys of a Secret. */
export interface Keyrings {
  /** `Secret "namespace/name"`, for sentences. */
  readonly source: string;
  readonly keys: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/**
 * The OpenPGP keys of a policy, binary or armored.
 *
 * @throws AppError `ChartSecretInvalid` that names the key of the Secret.
 */
export async function readKeyring({ source, keys }: Keyrings): Promise<readonly PublicKey[]> {
  const rings = await Promise.all(keys.map((entry) => readRing(source, entry)));
  return rings.flat();
}

/** `key <fingerprint> (<user id>)`. */
export function describeKey(key: PublicKey): string {
  const [user = ''] = key.getUserIDs();
  const plain = user.replaceAll(/\p{C}/gu, ' ').slice(0, SHOWN_CHARACTERS);
  return `key ${key.getFingerprint().toUpperCase()}${plain === '' ? '' : ` (${plain})`}`;
}

/**
 * Whether a key, or the subkey of this id, may still sign. A signature is dated by its author, so one that a key was valid for then may have been made after the key's end; Helm rejects
 * such keys, too.
 */
export async function isValidNow(key: PublicKey, keyID: KeyID): Promise<boolean> {
  return await key.getSigningKey(keyID).then(
    () => true,
    () => false,
  );
}

async function readRing(source: string, { name, bytes }: Keyrings['keys'][number]): Promise<readonly PublicKey[]> {
  const text = Buffer.from(bytes).toString('latin1');
  if (text.slice(8, 12) === 'KBXf')
    throw chartSecretInvalid(source, `its key "${name}" is a keybox, which only GnuPG reads; write what "gpg --export" gives`);
  const found = await parseKeys(text, bytes);
  if (text.includes('PGP PRIVATE KEY') || found.some((key) => key.isPrivate()))
    throw chartSecretInvalid(
      source,
      `its key "${name}" holds a private key; replace it with the public key, and consider the private key compromised`,
    );
  if (found.length === 0)
    throw chartSecretInvalid(source, `its key "${name}" holds no OpenPGP public key; write what "gpg --export" gives`);
  return found;
}

async function parseKeys(text: string, bytes: Uint8Array): Promise<readonly Key[]> {
  try {
    if (!text.includes('-----BEGIN')) return await readKeys({ binaryKeys: bytes });
    return await Promise.all((text.match(ARMORED) ?? []).map((armoredKey) => readKey({ armoredKey })));
  } catch {
    return [];
  }
}
