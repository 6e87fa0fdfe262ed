import { readKey, readKeys } from 'openpgp';
import type { Key, PublicKey } from 'openpgp';
import type { ChartVerification } from '../domain/chart-access.ts';
import { chartSecretInvalid } from '../domain/chart-secret-error.ts';

const ARMORED = /-----BEGIN PGP PUBLIC KEY BLOCK-----[\s\S]+?-----END PGP PUBLIC KEY BLOCK-----/g;
const SHOWN_CHARACTERS = 100;

/**
 * The OpenPGP keys of a policy, binary or armored.
 *
 * @throws AppError `ChartSecretInvalid` that names the key of the Secret.
 */
export async function readKeyring({ source, keys }: ChartVerification): Promise<readonly PublicKey[]> {
  const rings = await Promise.all(keys.map((entry) => readRing(source, entry)));
  return rings.flat();
}

/** `key <fingerprint> (<user id>)`. */
export function describeKey(key: PublicKey): string {
  const [user = ''] = key.getUserIDs();
  const plain = user.replaceAll(/\p{C}/gu, ' ').slice(0, SHOWN_CHARACTERS);
  return `key ${key.getFingerprint().toUpperCase()}${plain === '' ? '' : ` (${plain})`}`;
}

async function readRing(source: string, { name, bytes }: ChartVerification['keys'][number]): Promise<readonly PublicKey[]> {
  const text = Buffer.from(bytes).toString('latin1');
  if (text.slice(8, 12) === 'KBXf')
    throw chartSecretInvalid(source, `its key "${name}" is a keybox, which only GnuPG reads; write what "gpg --export" gives`);
  const found = await parse(text, bytes);
  if (text.includes('PGP PRIVATE KEY') || found.some((key) => key.isPrivate()))
    throw chartSecretInvalid(source, `its key "${name}" holds a private key; put the public one there, and treat the private one as known`);
  if (found.length === 0)
    throw chartSecretInvalid(source, `its key "${name}" holds no OpenPGP public key; write what "gpg --export" gives`);
  return found;
}

async function parse(text: string, bytes: Uint8Array): Promise<readonly Key[]> {
  try {
    if (!text.includes('-----BEGIN')) return await readKeys({ binaryKeys: bytes });
    return await Promise.all((text.match(ARMORED) ?? []).map((armoredKey) => readKey({ armoredKey })));
  } catch {
    return [];
  }
}
