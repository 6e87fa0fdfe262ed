import { AppError } from '../domain/core/errors.ts';

const LARGEST = 20 * 1024 * 1024;

/**
 * Everything on the standard input, for commands that take `-` for a file.
 *
 * @throws AppError `ConfigInvalid` when nobody types or pipes anything, `TooLarge` above 20 MiB.
 */
export async function readStandardInput(): Promise<Buffer> {
  if (process.stdin.isTTY) throw new AppError('ConfigInvalid', '-: pipe a file into the command, e.g. kubectl get crd NAME -o yaml | …');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST) throw new AppError('TooLarge', `-: the standard input is larger than ${LARGEST / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  if (size === 0) throw new AppError('ConfigInvalid', '-: the standard input is empty');
  return Buffer.concat(chunks);
}
