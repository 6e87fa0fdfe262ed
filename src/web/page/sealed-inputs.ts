import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '../../domain/core/errors.ts';
import { inputsFromBytes, inputsToBytes, type HiddenInput } from '../../domain/core/packed-inputs.ts';
import { restoreInputs } from '../../form/input/restore-inputs.ts';

/** What a page carries on for a person, so that nobody who sees the page reads it: what they typed may hold passwords. */
export interface FormSeal {
  /** The inputs as a single hidden one. */
  seal(user: string, inputs: readonly HiddenInput[]): readonly HiddenInput[];
  /**
   * A form as it was before its inputs were sealed; see `restoreInputs`.
   *
   * @throws AppError `MalformedRequest` for what was sealed for somebody else, too long ago, or not by us.
   */
  unseal(user: string, form: URLSearchParams): URLSearchParams;
}

const SEALED = '_sealed';
const CIPHER = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES, TIME_BYTES] = [12, 16, 6];
/** As long as a session lasts at most that nobody uses. */
const LIFETIME_MS = 12 * 3_600_000;

/**
 * @param key 32 bytes that all replicas share.
 * @param now milliseconds since 1970.
 */
export function createFormSeal(key: Uint8Array, now: () => number): FormSeal {
  return {
    seal(user, inputs) {
      if (inputs.length === 0) return [];
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(user));
      const time = Buffer.alloc(TIME_BYTES);
      time.writeUIntBE(now(), 0, TIME_BYTES);
      const parts = [cipher.update(time), cipher.update(inputsToBytes(inputs)), cipher.final()];
      return [{ name: SEALED, value: Buffer.concat([nonce, cipher.getAuthTag(), ...parts]).toString('base64url') }];
    },
    unseal(user, form) {
      if (!form.has(SEALED)) return form;
      const sent = new URLSearchParams(form);
      sent.delete(SEALED);
      const carried = form.getAll(SEALED).flatMap((text) => {
        const opened = decrypted(Buffer.from(text, 'base64url'), { key, user });
        if (opened === undefined || now() - opened.readUIntBE(0, TIME_BYTES) > LIFETIME_MS) throw broken();
        return inputsFromBytes(opened.subarray(TIME_BYTES)).map(([name, value]) => ({ name, value }));
      });
      return restoreInputs(sent, carried);
    },
  };
}

/** Undefined for what this key has not sealed for this person. */
function decrypted(sealed: Buffer, { key, user }: { readonly key: Uint8Array; readonly user: string }): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES + TIME_BYTES) return undefined;
  const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(user)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function broken(): AppError {
  return new AppError('MalformedRequest', 'form: the page is older than 12 hours, or was made for somebody else; open the form again');
}
