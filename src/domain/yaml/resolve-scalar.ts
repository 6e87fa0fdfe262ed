import { exactNumber } from '../core/exact-json.ts';

/*
 * How go-yaml v2 resolves scalars, which Kubernetes and Helm read manifests with: YAML 1.1 (`yes` is a boolean, `017` is octal) with the octal prefix of
 * YAML 1.2 (`0o17`), without sexagesimal numbers, and with timestamps as text.
 */

/** What a scalar stands for; `Unsupported` for what JSON has no value for, such as `.inf`. */
export type ScalarValue =
  | { readonly kind: 'Value'; readonly value: string | number | bigint | boolean | null }
  | { readonly kind: 'Unsupported'; readonly message: string };

const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((text) => [text, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((text) => [text, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
]);
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const MAX_UINT64 = 2n ** 64n - 1n;
/** The value of no number that anybody means is longer, and a bigint of millions of digits takes long to make. */
const MAX_NUMBER_LENGTH = 400;

/** The value of a plain scalar without a tag. */
export function resolvePlain(text: string): ScalarValue {
  const literal = LITERALS.get(text);
  if (literal !== undefined) return { kind: 'Value', value: literal };
  if (NOT_FINITE.test(text)) return { kind: 'Unsupported', message: `holds ${text}, which is no number of JSON` };
  return { kind: 'Value', value: numberOf(text) ?? text };
}

/** The value of a scalar with a tag, plain or quoted. @param tag as YAML has it, in its long form. */
export function resolveTagged(tag: string, text: string): ScalarValue {
  if (tag === '!' || tag === `${YAML_TAG}str`) return { kind: 'Value', value: text };
  if (tag === `${YAML_TAG}binary`) return decodeBinary(text);
  const resolved = resolvePlain(text);
  if (resolved.kind === 'Unsupported') return resolved;
  const { value } = resolved;
  if (isOfTag(tag, value)) return resolved;
  const name = tag.startsWith(YAML_TAG) ? `!!${tag.slice(YAML_TAG.length)}` : tag;
  return { kind: 'Unsupported', message: `has the tag ${name.slice(0, 100)}, which is not supported here; remove it` };
}

/** What the tags of YAML itself begin with. */
export const YAML_TAG = 'tag:yaml.org,2002:';

function isOfTag(tag: string, value: unknown): boolean {
  switch (tag) {
    case `${YAML_TAG}null`:
      return value === null;
    case `${YAML_TAG}bool`:
      return typeof value === 'boolean';
    case `${YAML_TAG}int`:
      return typeof value === 'bigint' || Number.isInteger(value);
    case `${YAML_TAG}float`:
      return typeof value === 'number';
    default:
      return false;
  }
}

function decodeBinary(text: string): ScalarValue {
  const digits = text.replaceAll(/[\r\n]/g, '');
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits))
    return { kind: 'Unsupported', message: 'has the tag !!binary on what is not base64' };
  return { kind: 'Value', value: Buffer.from(digits, 'base64').toString('utf8') };
}

/** Undefined for what is text. go-yaml ignores each `_`, and takes an integer beyond 64 bits for a float. */
function numberOf(text: string): number | bigint | undefined {
  if (text.length > MAX_NUMBER_LENGTH || !/^[-+.0-9]/.test(text)) return undefined;
  // Behind a leading point, each `_` has to stand between two digits.
  if (/^\.(?:_|.*(?:\D_|_\D|_$))/.test(text)) return undefined;
  const plain = text.replaceAll('_', '');
  const [, sign = '', digits] = INTEGER.exec(plain) ?? [];
  if (digits !== undefined) {
    const size = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
    const whole = sign === '-' ? -size : size;
    if (sign === '' ? whole <= MAX_UINT64 : BigInt.asIntN(64, whole) === whole) return exactNumber(String(whole)) ?? Number(whole);
  }
  if (!FLOAT.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value + 0 : undefined;
}
