import { isUtf8 } from 'node:buffer';
import { AppError } from '../core/errors.ts';

/** UTF-32 first: in one byte order, its mark begins like that of UTF-16. */
const MARKS = [
  { encoding: 'UTF-32', starts: [0xff, 0xfe, 0, 0] },
  { encoding: 'UTF-32', starts: [0, 0, 0xfe, 0xff] },
  { encoding: 'UTF-16', starts: [0xff, 0xfe] },
  { encoding: 'UTF-16', starts: [0xfe, 0xff] },
] as const;

/**
 * Reads text that has to be UTF-8. kubectl also reads UTF-16 with a byte order mark, and Helm reads some files of a chart so and not others; Chandlery reads none.
 *
 * @returns the text, with its byte order mark if it has one.
 * @throws AppError `InvalidInput`, as a clause that names the encoding and no file.
 */
export function decodeText(bytes: Uint8Array): string {
  const other = otherEncoding(bytes);
  if (other !== undefined) throw new AppError('InvalidInput', `it is ${other} text: save it as UTF-8`);
  if (!isUtf8(bytes)) throw new AppError('InvalidInput', 'it is not UTF-8 text');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** By the byte order mark; without one by the NUL bytes that ASCII characters have there and that no YAML has in UTF-8. */
export function otherEncoding(bytes: Uint8Array): 'UTF-16' | 'UTF-32' | undefined {
  const marked = MARKS.find(({ starts }) => starts.every((byte, index) => bytes[index] === byte));
  if (marked !== undefined) return marked.encoding;
  const zeros = bytes.subarray(0, 4).filter((byte) => byte === 0).length;
  if (bytes.length < 2 || zeros === 0) return undefined;
  return zeros === 3 ? 'UTF-32' : 'UTF-16';
}
