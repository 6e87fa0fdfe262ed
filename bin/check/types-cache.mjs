import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkCacheFolder } from './cache-folder.mjs';

const INFO = join('node_modules', '.cache', 'chandlery', 'types.tsbuildinfo');

/**
 * Calls `check` with the file in which tsc keeps what it knows. A clone that has none begins with that of another: its paths are relative, and tsc believes
 * it only for files of the same content and for the same version of itself.
 */
export function withTypesCache(root, check) {
  const [own, shared] = [join(root, INFO), join(checkCacheFolder(), 'types.tsbuildinfo')];
  mkdirSync(dirname(own), { recursive: true });
  if (!existsSync(own) && existsSync(shared)) copyFileSync(shared, own);
  const isRight = check(INFO);
  if (isRight && existsSync(own)) keep(own, shared);
  return isRight;
}

/** Whole, as other clones may be reading it. */
function keep(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, `${to}.${process.pid}`);
  renameSync(`${to}.${process.pid}`, to);
}
