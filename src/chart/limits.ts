const MEBIBYTE = 1024 * 1024;

/** Bounds on what a chart, its archive and the way to it may cost. */
export interface ChartLimits {
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** Bytes of one file in the archive; Helm itself reads no larger one. */
  readonly fileBytes: number;
  readonly entries: number;
  readonly redirects: number;
  /** Bytes of a repository's index.yaml. */
  readonly indexBytes: number;
  readonly connectMs: number;
  /** Without a byte from the server. */
  readonly idleMs: number;
  /** From the first request to the last byte. */
  readonly totalMs: number;
  /** For parsing the files of the chart. */
  readonly parseMs: number;
  /** For parsing the index of a repository. */
  readonly indexParseMs: number;
}

export const CHART_LIMITS: ChartLimits = {
  packedBytes: 20 * MEBIBYTE,
  unpackedBytes: 50 * MEBIBYTE,
  fileBytes: 5 * MEBIBYTE,
  entries: 5000,
  redirects: 5,
  indexBytes: 50 * MEBIBYTE,
  connectMs: 10_000,
  idleMs: 30_000,
  totalMs: 120_000,
  parseMs: 30_000,
  indexParseMs: 120_000,
};

/** `20 MiB`, or bytes when it is less than one. */
export function sizeOf(bytes: number): string {
  return bytes < MEBIBYTE ? `${bytes} bytes` : `${Math.round((bytes / MEBIBYTE) * 10) / 10} MiB`;
}
