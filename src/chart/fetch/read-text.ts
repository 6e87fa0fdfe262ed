import { chartError } from '../chart-error.ts';
import { sizeOf } from '../limits.ts';
import type { Incoming } from './receive.ts';

/** The whole of a text that is not a chart: an index, a manifest. Throws AppError `ChartTooLarge`. */
export async function readText({ bytes, address, answered, length }: Incoming, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const tooLarge = () => chartError('ChartTooLarge', address, `${answered} with more than the ${sizeOf(maxBytes)} that it may have`);
  if (length !== undefined && length > maxBytes) throw tooLarge();
  for await (const chunk of bytes) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw tooLarge();
  }
  return Buffer.concat(chunks).toString('utf8');
}
