const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  m: 0.001,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The number that a Kubernetes quantity such as `500m` or `10Gi` stands for. */
export function parseQuantity(text: string): number {
  const [, digits, suffix = ''] = /^([0-9.]+)([A-Za-z]*)$/.exec(text) ?? [];
  const factor = FACTORS[suffix];
  if (digits === undefined || factor === undefined) throw new RangeError(`'${text}' is no quantity`);
  return Number(digits) * factor;
}

/** A number of bytes as whole mebibytes. */
export function toMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)}Mi`;
}
