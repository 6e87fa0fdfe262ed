/** The thread of `read-release.ts`: reduces Helm's record of a release to what its manifest names, or to its values and hooks. */
import { gunzipSync } from 'node:zlib';
import { AppError } from '../../domain/core/errors.ts';
import { at, isObject, listAt, textAt, textsAt } from '../../domain/core/read.ts';
import { isRemovedWhenFinished } from '../../domain/health/removed-when-finished.ts';
import { parseRendered } from '../../domain/kubernetes/manifest.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { RevisionContent } from '../../domain/operator/release.ts';
import { serveJobs } from '../../thread/serve-jobs.ts';

/** An object of a manifest, by its name alone. */
export interface ManifestKey {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent where the manifest names none. */
  readonly namespace?: string;
  readonly name: string;
  /** Whether it may be gone because it is done. */
  readonly isRemovedWhenFinished: boolean;
}

export const MANIFEST_JOBS = { keysOf, contentIn };

serveJobs(MANIFEST_JOBS);

const UNPACKED_BYTES = 64 * 1024 * 1024;

/** @param record `data.release` of the Secret: base64 of the base64 of the packed JSON. */
function keysOf(record: string): readonly ManifestKey[] {
  return parseRendered(manifestOf(record)).map((object) => {
    const { apiVersion, kind, metadata } = object;
    const { name, namespace } = metadata;
    const key = { apiVersion, kind, name, isRemovedWhenFinished: isRemovedWhenFinished(object) };
    return namespace === undefined ? key : { ...key, namespace };
  });
}

function manifestOf(record: string): string {
  return textAt(unpacked(record), 'manifest') ?? '';
}

function contentIn(record: string): RevisionContent {
  const release = unpacked(record);
  const config = at(release, 'config');
  return {
    chart: textAt(release, 'chart', 'metadata', 'name') ?? '',
    version: textAt(release, 'chart', 'metadata', 'version') ?? '',
    values: isObject(config) ? (config as JsonObject) : {},
    hooks: listAt(release, 'hooks').map((hook) => ({
      kind: textAt(hook, 'kind') ?? '',
      name: textAt(hook, 'name') ?? '',
      events: textsAt(hook, 'events'),
      deletePolicies: textsAt(hook, 'delete_policies'),
    })),
  };
}

/** What is wrong must not repeat what is in the record. */
function unpacked(record: string): unknown {
  try {
    const packed = Buffer.from(Buffer.from(record, 'base64').toString('latin1'), 'base64');
    return JSON.parse(gunzipSync(packed, { maxOutputLength: UNPACKED_BYTES }).toString('utf8'));
  } catch {
    throw new AppError('InvalidInput', 'release: its record cannot be read');
  }
}
