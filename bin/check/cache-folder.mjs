import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where all clones keep what they found right (XDG Base Directory Specification): an entry is valid for its content alone, wherever it came from. */
export function checkCacheFolder() {
  const base = process.env.XDG_CACHE_HOME?.startsWith('/') ? process.env.XDG_CACHE_HOME : join(homedir(), '.cache');
  return join(base, 'chandlery', 'check');
}
