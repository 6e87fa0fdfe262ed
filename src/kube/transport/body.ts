import { AppError } from '../../domain/core/errors.ts';

/** Lists come in pages of 500; the largest page of CRDs measured is a tenth of this. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The whole body as text. @throws AppError `TooLarge` beyond the limit. */
export async function readText(body: AsyncIterable<Buffer>, limit = MAX_BODY_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new AppError('TooLarge', `cluster: the answer is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The lines of a body as they come, without their ends; a last line without an end is cut off and left out. */
export async function* readLines(body: AsyncIterable<Buffer>, limit = MAX_LINE_BYTES): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pending, chunk.subarray(start, end)]).toString('utf8');
      pending = [];
      size = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    size += rest.length;
    if (size > limit) throw new AppError('TooLarge', `cluster: a line of the watch is larger than ${limit} bytes`);
    if (rest.length > 0) pending.push(rest);
  }
}
