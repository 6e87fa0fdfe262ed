import { AppError } from '../../domain/core/errors.ts';
import { inputsFromBytes, inputsToBytes, type HiddenInput } from '../../domain/core/packed-inputs.ts';
import type { Seal } from '../../domain/core/seal.ts';
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
const TIME_BYTES = 6;
/** As long as a session lasts at most that nobody uses. */
const LIFETIME_MS = 12 * 3_600_000;

/**
 * @param seal with the keys that all replicas share.
 * @param now milliseconds since 1970.
 */
export function createFormSeal(seal: Seal, now: () => number): FormSeal {
  return {
    seal(user, inputs) {
      if (inputs.length === 0) return [];
      const time = Buffer.alloc(TIME_BYTES);
      time.writeUIntBE(now(), 0, TIME_BYTES);
      return [{ name: SEALED, value: seal.seal(Buffer.concat([time, inputsToBytes(inputs)]), user) }];
    },
    unseal(user, form) {
      if (!form.has(SEALED)) return form;
      const sent = new URLSearchParams(form);
      sent.delete(SEALED);
      const carried = form.getAll(SEALED).flatMap((text) => {
        const opened = seal.open(text, user);
        if (opened === undefined || now() - opened.readUIntBE(0, TIME_BYTES) > LIFETIME_MS) throw broken();
        return inputsFromBytes(opened.subarray(TIME_BYTES)).map(([name, value]) => ({ name, value }));
      });
      return restoreInputs(sent, carried);
    },
  };
}

function broken(): AppError {
  return new AppError('MalformedRequest', 'form: the page is older than 12 hours, or was made for somebody else; open the form again');
}
