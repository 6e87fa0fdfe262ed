import { createSeal, type Seal, type SealingKey } from '../../src/domain/core/seal.ts';

/** A seal with a key that everybody knows. @param byte what the key is made of. */
export function sampleSeal(byte = 0): Seal {
  return createSeal({ keys: () => [sampleKey(byte)], purpose: 'test' });
}

export function sampleKey(byte: number, usedFrom = 0): SealingKey {
  return { id: 'k', bytes: new Uint8Array(32).fill(byte), usedFrom };
}
