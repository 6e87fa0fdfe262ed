/** The thread of `read-release.ts`: reduces Helm's record of a release to what its manifest names. */
import { gunzipSync } from 'node:zlib';
import { AppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import { parseRendered } from '../../domain/kubernetes/manifest.ts';
import { serveJobs } from '../../thread/serve-jobs.ts';

/** An object of a manifest, by its name alone. */
export interface ManifestKey {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent where the manifest names none. */
  readonly namespace?: string;
  readonly name: string;
}

export const MANIFEST_JOBS = { keysOf };

serveJobs(MANIFEST_JOBS);

const UNPACKED_BYTES = 64 * 1024 * 1024;

/** @param record `data.release` of the Secret: base64 of the base64 of the packed JSON. */
function keysOf(record: string): readonly ManifestKey[] {
  return parseRendered(manifestOf(record)).map(({ apiVersion, kind, metadata: { name, namespace } }) => ({
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  }));
}

/** What is wrong must not repeat what is in the record. */
function manifestOf(record: string): string {
  try {
    const packed = Buffer.from(Buffer.from(record, 'base64').toString('latin1'), 'base64');
    return textAt(JSON.parse(gunzipSync(packed, { maxOutputLength: UNPACKED_BYTES }).toString('utf8')), 'manifest') ?? '';
  } catch {
    throw new AppError('InvalidInput', 'release: its record cannot be read');
  }
}
