import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** A secret key of an installation, which all of its replicas have. */
export interface SealingKey {
  /** Stands in whatever the key has sealed. */
  readonly id: string;
  /** 32 random bytes. */
  readonly bytes: Uint8Array;
  /** Milliseconds since 1970: before, some replicas may not know the key, so it only opens. */
  readonly usedFrom: number;
}

/** Authenticated encryption for one purpose: what one seal has sealed, a seal for another purpose does not open. */
export interface Seal {
  /** @param context what the text belongs to, for example the key of its record: in another place it does not open. */
  seal(content: string | Uint8Array, context: string): string;
  /** Undefined for what is not ours, was changed, belongs elsewhere, or was sealed with a key that is gone. */
  open(sealed: string, context: string): Buffer | undefined;
}

interface SealDeps {
  /** All keys that are known, in any order; asked for each time, because they rotate. */
  readonly keys: () => readonly SealingKey[];
  readonly purpose: string;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, NONCE_BYTES, TAG_BYTES] = [32, 12, 16];

/** Seals by AES-256-GCM with a key derived for the purpose (HKDF-SHA-256, RFC 5869). The text is `KEY-ID.` and nonce, tag and ciphertext in base64url. */
export function createSeal({ keys, purpose, clock = Date.now }: SealDeps): Seal {
  const derived = new Map<string, Buffer>();
  const secretOf = ({ id, bytes }: SealingKey): Buffer => {
    const known = derived.get(id) ?? Buffer.from(hkdfSync('sha256', bytes, '', `chandlery ${purpose}`, KEY_BYTES));
    derived.set(id, known);
    return known;
  };
  return {
    seal(content, context) {
      const key = currentKey(keys(), clock());
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, secretOf(key), nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(Buffer.from(content)), cipher.final()]);
      return `${key.id}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`;
    },
    open(sealed, context) {
      const at = sealed.indexOf('.');
      const key = keys().find(({ id }) => id === sealed.slice(0, at));
      const bytes = Buffer.from(sealed.slice(at + 1), 'base64url');
      if (at < 1 || key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      return opened(bytes, secretOf(key), context);
    },
  };
}

/** The newest key that every replica knows by now, else the oldest. */
export function currentKey(keys: readonly SealingKey[], now: number): SealingKey {
  const sorted = keys.toSorted((a, b) => b.usedFrom - a.usedFrom);
  const key = sorted.find(({ usedFrom }) => usedFrom <= now) ?? sorted.at(-1);
  if (key === undefined) throw new TypeError('there is no sealing key');
  return key;
}

function opened(bytes: Buffer, key: Buffer, context: string): Buffer | undefined {
  const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
