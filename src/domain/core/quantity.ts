// Grammar of k8s.io/apimachinery resource.Quantity: a signed decimal number with a binary, decimal or exponent suffix.
const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,2})?$/;
const MAX_LENGTH = 40;
const NANO = 1_000_000_000n;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** An amount in billionths of its unit, so that sums are exact. */
export type Nanos = bigint;

/** Reads a Kubernetes quantity, text or number; undefined when it is none. What is finer than a billionth is rounded up. */
export function parseQuantity(value: unknown): Nanos | undefined {
  const text = (typeof value === 'number' && Number.isFinite(value)) || typeof value === 'bigint' ? String(value) : value;
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined;
  const found = QUANTITY.exec(text);
  if (found === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = found;
  if (whole === '' && fraction === '') return undefined;
  const size = scale(BigInt(`${whole}${fraction}`), fraction.length, suffix);
  return sign === '-' ? -size : size;
}

/** The amount in words of Kubernetes: `1536Mi` in binary units, `250m` or `3` otherwise. */
export function formatQuantity(amount: Nanos, units: 'binary' | 'decimal'): string {
  if (amount < 0n) return `-${formatQuantity(-amount, units)}`;
  if (units === 'binary' && amount >= 1024n * NANO) return formatBinary(ceilDivide(amount, NANO));
  if (amount % NANO === 0n) return String(amount / NANO);
  return `${ceilDivide(amount, NANO / 1000n)}m`;
}

/** In the largest unit that is exact, else with two decimals. */
function formatBinary(bytes: bigint): string {
  const power = BINARY.findLastIndex((_, index) => bytes >= 1024n ** BigInt(index + 1));
  const exact = BINARY.findLastIndex((_, index) => index <= power && bytes % 1024n ** BigInt(index + 1) === 0n);
  if (exact >= 0 && power - exact <= 1) return `${bytes / 1024n ** BigInt(exact + 1)}${BINARY[exact] ?? ''}`;
  const hundredths = (bytes * 100n) / 1024n ** BigInt(power + 1);
  return `${Number(hundredths) / 100}${BINARY[power] ?? ''}`;
}

function scale(digits: bigint, decimals: number, suffix: string): Nanos {
  const binary = BINARY.findIndex((unit) => unit === suffix);
  if (binary >= 0) return shift(digits * 1024n ** BigInt(binary + 1), 9 - decimals);
  const exponent = DECIMAL[suffix] ?? Number(suffix.slice(1));
  return shift(digits, exponent + 9 - decimals);
}

/** Times a power of ten, rounded up. */
function shift(value: bigint, power: number): bigint {
  return power >= 0 ? value * 10n ** BigInt(power) : ceilDivide(value, 10n ** BigInt(-power));
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
