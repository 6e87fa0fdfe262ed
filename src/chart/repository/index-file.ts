import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { IndexText } from './parse-index.ts';

const CHUNK_BYTES = 64 * 1024;

/** The text of a file, read as it is asked for. It blocks its thread: use it in one of its own. */
export function openIndexFile(path: string): IndexText {
  const file = openSync(path, 'r');
  const bytes = fstatSync(file).size;
  closeSync(file);
  return { bytes, lines: () => linesOf(path), whole: () => withoutMark(readFileSync(path, 'utf8')) };
}

function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    // The pieces of a line that is not yet at its end: an index of JSON is one line of many chunks.
    let pieces: string[] = [];
    let isStart = true;
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      const text = decoder.write(chunk.subarray(0, length));
      const [first = '', ...others] = (isStart ? withoutMark(text) : text).split('\n');
      isStart = false;
      pieces.push(first);
      for (const other of others) {
        yield pieces.join('');
        pieces = [other];
      }
    }
    yield pieces.join('') + decoder.end();
  } finally {
    closeSync(file);
  }
}

/** Without the byte order mark that some editors put first. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
