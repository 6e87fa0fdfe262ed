import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay } from '../../domain/core/backoff.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE, CRD, LEASE } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Kube } from '../../kube/kube.ts';
import { installedObjects } from '../install-crds-and-roles.ts';
import { LEASE_NAME } from './lead-controllers.ts';

/** How a start asks the person who starts it. */
export interface Dialog {
  /** A line to the terminal. */
  readonly note: (line: string) => void;
  /** Whether the person says yes; absent without a terminal. */
  readonly confirm?: (question: string) => Promise<boolean>;
}

export interface FirstInstallation {
  readonly kube: Pick<Kube, 'asController' | 'server'>;
  readonly repoRoot: string;
  readonly adminGroups: readonly string[];
  /** Absent where no folder is applied. */
  readonly catalogDir?: string | undefined;
  readonly dialog: Dialog;
}

const ANSWER_MS = 5_000;
const BACKOFF = { first: 250, longest: 10_000 };

/**
 * Asks before Chandlery writes to a cluster in which it never ran.
 *
 * @returns `Unknown` when the cluster does not answer, so that no confirmation is possible.
 * @throws AppError `ConfigInvalid` when the installation is declined, or there is no terminal.
 */
export async function confirmInstallation(input: FirstInstallation): Promise<'Confirmed' | 'Unknown'> {
  const { kube, dialog } = input;
  const state = await stateOf(kube, AbortSignal.timeout(ANSWER_MS)).catch(() => 'Unknown' as const);
  if (state === 'Unknown') return 'Unknown';
  if (state === 'Installed') return 'Confirmed';
  for (const line of await describeInstallation(input)) dialog.note(line);
  if (dialog.confirm === undefined) throw unconfirmed(kube, 'there is no terminal to ask');
  if (await dialog.confirm('Create them? [y/N] ')) return 'Confirmed';
  throw unconfirmed(kube, 'you did not confirm');
}

/**
 * For a cluster that did not answer at the start: waits for it.
 *
 * @throws AppError `ConfigInvalid` when Chandlery never ran there; the signal's reason.
 */
export async function requireInstalled({ kube }: Pick<FirstInstallation, 'kube'>, signal: AbortSignal): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      if ((await stateOf(kube, signal)) === 'Installed') return;
    } catch (error) {
      signal.throwIfAborted();
      if (!isAppError(error)) throw error;
      await sleep(backoffDelay(failures, BACKOFF, Math.random()), undefined, { signal });
      continue;
    }
    throw unconfirmed(kube, 'it did not answer at the start, so that nobody was asked');
  }
}

/** An account that may not read CRDs installs none. A Lease is of a process that installs them now. */
async function stateOf(kube: FirstInstallation['kube'], signal: AbortSignal): Promise<'Installed' | 'Missing'> {
  const cluster = kube.asController();
  const crd = { ...CRD, name: `${CATALOG_SOURCE.resource}.${CATALOG_SOURCE.group}` };
  const lease = { ...LEASE, namespace: OURS.systemNamespace, name: LEASE_NAME };
  try {
    const found = (await ifFound(cluster.get(crd, { signal }))) ?? (await ifFound(cluster.get(lease, { signal })));
    return found === undefined ? 'Missing' : 'Installed';
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return 'Installed';
    throw error;
  }
}

/** A line for each kind, with the names. */
async function describeInstallation({ kube, catalogDir, ...input }: FirstInstallation): Promise<readonly string[]> {
  const byKind = Map.groupBy(await installedObjects(input), ({ kind }) => kind);
  const catalog =
    catalogDir === undefined
      ? '  no CatalogSource: name a folder with --catalog DIR, for example --catalog catalog for the example catalogue'
      : `  CatalogSource: catalog, for the folder ${catalogDir}, whose resources it applies`;
  return [
    `Chandlery never ran in the cluster at ${kube.server()}. It would create there:`,
    ...[...byKind].map(([kind, objects]) => `  ${objects.length} ${kind}: ${namesOf(objects)}`),
    catalog,
  ];
}

function namesOf(objects: readonly KubeObject[]): string {
  return objects
    .map(({ metadata }) => metadata.name)
    .sort()
    .join(', ');
}

function unconfirmed(kube: Pick<Kube, 'server'>, why: string): AppError {
  const place = `cluster ${JSON.stringify(kube.server())}`;
  return new AppError(
    'ConfigInvalid',
    `${place}: Chandlery never ran there, and ${why}: nothing was created; start with --yes to create it`,
  );
}
