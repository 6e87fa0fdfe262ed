import { isScalar } from 'yaml';

/** A key of a YAML document as JSON has it. */
export function keyText(key: unknown): string {
  const value: unknown = isScalar(key) ? key.value : key;
  return isKey(value) ? value.toString() : '';
}

function isKey(value: unknown): value is string | number | bigint | boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}
