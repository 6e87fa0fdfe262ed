import { homedir } from 'node:os';
import { join } from 'node:path';

/** Folder that all clones on this machine share (XDG Base Directory Specification). An entry is valid by its content or digest alone, whichever clone wrote it. */
export function cacheFolder() {
  const base = process.env.XDG_CACHE_HOME?.startsWith('/') ? process.env.XDG_CACHE_HOME : join(homedir(), '.cache');
  return join(base, 'chandlery');
}
