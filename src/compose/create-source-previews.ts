import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArtifactOptions, createArtifacts } from '../chart/oci/artifact.ts';
import { AppError } from '../domain/core/errors.ts';
import { FairQueue } from '../domain/core/fair-queue.ts';
import type { ParsedFolder } from '../domain/source/stock.ts';
import { createFolderReader } from '../folder/read-source-folder.ts';
import { createGit } from '../git/git.ts';
import type { SourceContent, SourcePreviewPorts } from '../operation/source/source-ports.ts';
import { applyDocument } from '../reconcile/source/apply-document.ts';
import { readFolderOf } from '../reconcile/source/fetch-source.ts';

export interface SourcePreviewsInput extends Omit<ArtifactOptions, 'homeDir'> {
  readonly stateDir: string;
  /** The program, for kustomizations. */
  readonly kubectl: string;
}

const PREVIEWS = { what: 'preview', all: 2, perPerson: 1, waiting: 3 };

/** Previews of sources fetch into a folder of their own each, so that the checkouts of the controller stay as they are. */
export async function createSourcePreviews({ stateDir, kubectl, ...fetching }: SourcePreviewsInput): Promise<SourcePreviewPorts> {
  const place = join(stateDir, 'source-previews');
  // What a process left that was killed.
  await rm(place, { recursive: true, force: true });
  return {
    read: async (content, signal) => {
      await mkdir(place, { recursive: true, mode: 0o700 });
      const homeDir = await mkdtemp(join(place, 'preview-'));
      try {
        return await readInto({ ...fetching, homeDir, kubectl }, content, signal);
      } finally {
        await rm(homeDir, { recursive: true, force: true });
      }
    },
    dryRun: async (cluster, trial) => await applyDocument(cluster, { ...trial, mode: 'DryRun' }),
    queue: new FairQueue(PREVIEWS),
  };
}

async function readInto(
  { kubectl, ...options }: ArtifactOptions & Pick<SourcePreviewsInput, 'kubectl'>,
  { source, spec, cluster }: SourceContent,
  signal: AbortSignal,
): Promise<Extract<ParsedFolder, { kind: 'Read' }>> {
  const ports = { cluster, git: createGit(options), artifacts: createArtifacts(options), readFolder: createFolderReader(kubectl) };
  const read = await readFolderOf({ ports, source, signal }, { ...spec, suspend: false });
  signal.throwIfAborted();
  switch (read.kind) {
    case 'Read':
      return read;
    case 'GitUnavailable':
    case 'ArtifactUnavailable':
    case 'VerificationFailed':
      throw new AppError(read.kind, read.why);
    case 'Vanished':
      throw new AppError('NotFound', `folder ${JSON.stringify(spec.folder?.path ?? '')}: it cannot be read: ${read.why}`);
    case 'Blocked':
    case 'Unchanged':
      throw new AppError('Internal', `source ${JSON.stringify(source.metadata.name)}: its content was not read`);
    default:
      return read satisfies never;
  }
}
