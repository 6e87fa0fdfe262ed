import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '../../domain/core/errors.ts';

/** Absolute paths of the programs that `bin/setup` found or built. Only helm is always there. */
export interface ToolPaths {
  readonly helm: string;
  readonly kubectl?: string;
  readonly cluster?: ClusterPrograms;
}

/** The programs of the embedded cluster. */
export interface ClusterPrograms {
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly scheduler: string;
  readonly kwok: string;
  /** The files of KWOK's stages: what simulated nodes, pods and volumes do. */
  readonly stages: readonly string[];
}

/** Where `bin/setup` writes down what it found or built, seen from the root of the repository. */
const MANIFEST = join('node_modules', '.cache', 'chandlery', 'tools.json');

/**
 * Reads the paths that `bin/setup` wrote down.
 *
 * @throws AppError `ConfigInvalid` when it has not run.
 */
export async function loadTools(repoRoot: string): Promise<ToolPaths> {
  const path = join(repoRoot, MANIFEST);
  try {
    return parseManifest(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw new AppError('ConfigInvalid', `programs: "${path}": ${messageOf(cause)}: run node bin/setup.mjs`, { cause });
  }
}

function parseManifest(manifest: unknown): ToolPaths {
  const { programs, stages } = manifest as { programs: Readonly<Record<string, { path: string } | undefined>>; stages?: readonly string[] };
  const path = (name: string): string | undefined => programs[name]?.path;
  const [helm, kubectl, etcd, kwok] = [path('helm'), path('kubectl'), path('etcd'), path('kwok')];
  const [apiServer, controllerManager, scheduler] = [path('kube-apiserver'), path('kube-controller-manager'), path('kube-scheduler')];
  if (helm === undefined) throw new Error('helm is missing');
  const isComplete = etcd && kwok && apiServer && controllerManager && scheduler && stages;
  return {
    helm,
    ...(kubectl === undefined ? {} : { kubectl }),
    ...(isComplete ? { cluster: { etcd, kwok, apiServer, controllerManager, scheduler, stages } } : {}),
  };
}
