/**
 * The thread of `parse-in-worker.ts`: parses one rendered stream or release record after the other, and gives its objects in parts that are quickly copied; or does what
 * a post-renderer does.
 */
import { gunzipSync } from 'node:zlib';
import { AppError } from '../domain/core/errors.ts';
import { listAt, numberAt, textAt } from '../domain/core/read.ts';
import { parseRendered } from '../domain/kubernetes/manifest.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { serveJobs } from '../thread/serve-jobs.ts';
import { releaseDigest, type RevisionObjects } from './release-digest.ts';
import { transform } from './transform.ts';

const PART = 50;

export const PARSE_JOBS = { parse, readRecord, transform };

serveJobs(PARSE_JOBS);

function* parse(text: string): Generator<readonly KubeObject[], void> {
  const objects = parseRendered(text);
  for (let first = 0; first < objects.length; first += PART) yield objects.slice(first, first + PART);
}

const UNPACKED_BYTES = 64 * 1024 * 1024;

/**
 * The objects of the manifest of a revision, and at the end all else that is known of it.
 *
 * @param record `data.release` of the Secret: base64 of the base64 of the packed JSON. What is wrong must not repeat what is in it.
 */
function* readRecord(record: string): Generator<readonly KubeObject[], Omit<RevisionObjects, 'objects'>> {
  const { text, release } = unpacked(record);
  const digest = releaseDigest(text, release);
  yield* parse(textAt(release, 'manifest') ?? '');
  return {
    release: textAt(release, 'name') ?? '',
    namespace: textAt(release, 'namespace') ?? '',
    revision: numberAt(release, 'version') ?? 0,
    digest,
    hooks: listAt(release, 'hooks').flatMap((hook) => parseRendered(textAt(hook, 'manifest') ?? '')),
    notes: (textAt(release, 'info', 'notes') ?? '').trim(),
  };
}

function unpacked(record: string): { readonly text: string; readonly release: unknown } {
  try {
    const packed = Buffer.from(Buffer.from(record, 'base64').toString('latin1'), 'base64');
    const text = gunzipSync(packed, { maxOutputLength: UNPACKED_BYTES }).toString('utf8');
    return { text, release: JSON.parse(text) };
  } catch {
    throw new AppError('HelmFailed', 'the record of the release cannot be read');
  }
}
