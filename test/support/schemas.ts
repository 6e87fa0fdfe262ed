import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from './cluster.ts';

/** Folders with `crds/` and `charts/`: small twins of real schemas, and, where a machine has them beside the clone, real ones of many thousand lines. */
export const SCHEMA_FOLDERS: readonly string[] = [
  join(repoRoot, 'test', 'fixtures', 'schemas'),
  join(repoRoot, '..', 'shared', 'schemas'),
].filter((folder) => existsSync(folder));

export const CRD_FOLDERS: readonly string[] = SCHEMA_FOLDERS.map((folder) => join(folder, 'crds'));
