import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../setup/cache-folder.mjs';
import { writeAtomically } from '../setup/write-atomically.mjs';

const INFO = join('node_modules', '.cache', 'chandlery', 'types.tsbuildinfo');

/**
 * Calls `check` with the file in which tsc keeps what it knows. A clone that has none begins with that of another: its paths are relative, and tsc believes
 * it only for files of the same content and for the same version of itself.
 */
export function withTypesCache(root, check) {
  const [own, shared] = [join(root, INFO), join(cacheFolder(), 'check', 'types.tsbuildinfo')];
  mkdirSync(dirname(own), { recursive: true });
  if (!existsSync(own) && existsSync(shared)) copyFileSync(shared, own);
  const isRight = check(INFO);
  if (isRight && existsSync(own)) writeAtomically(shared, readFileSync(own));
  return isRight;
}
