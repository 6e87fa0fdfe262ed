import type { AuditOutcome, AuditRecord } from '../../domain/audit/audit-log.ts';
import { changedObjects, type ChangedObjects, type RevisionManifest } from '../../domain/audit/changed-objects.ts';
import { deletionChange, generationChange, requestChange } from '../../domain/audit/change-id.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { environmentOf } from './prerequisites.ts';
import type { RevisionRecord } from './ports.ts';
import type { Work } from './work.ts';

/** A change of a release by Helm, as the deployer. */
export interface ReleaseAct {
  readonly verb: 'install' | 'upgrade' | 'roll back' | 'unlock' | 'uninstall' | 'test';
  /** The newest revision before. */
  readonly before?: RevisionRecord | undefined;
  /** Whether its hooks run. */
  readonly hooks: 'Run' | 'Skipped';
  /** What was asked for, where that is no change of the spec. */
  readonly change?: string;
}

/** How an act ended: the revision that is there now, where it made one. */
export interface ActResult {
  readonly after?: RevisionRecord | undefined;
  /** Default: `succeeded`. */
  readonly outcome?: AuditOutcome;
}

/**
 * Runs a change of a release, and writes down what it has created, changed and removed, whatever came of it. A change that failed before Helm made a revision has made nothing.
 *
 * @param run is given a function that takes the result as far as it is known, which counts also when it throws afterwards.
 */
export async function auditRelease(work: Work, act: ReleaseAct, run: (known: (result: ActResult) => void) => Promise<void>): Promise<void> {
  let result: ActResult = {};
  try {
    await run((known) => (result = known));
  } catch (error) {
    const { after } = result;
    const isNew = after !== undefined && after.revision !== act.before?.revision;
    const mayHaveBegun = act.verb === 'uninstall' || act.verb === 'test';
    if (isNew || mayHaveBegun) await append(work, act, { after, outcome: 'failed', code: isAppError(error) ? error.code : 'Internal' });
    throw error;
  }
  await append(work, act, { ...result, code: '' });
}

async function append(
  work: Work,
  act: ReleaseAct,
  { after, outcome = 'succeeded', code }: ActResult & { readonly code: string },
): Promise<void> {
  const { before, verb } = act;
  const revision = (after ?? before)?.revision ?? work.status.managedRevision ?? 0;
  const objects = changedObjects({ before: manifestOf(before), after: manifestAfter(act, after), events: eventsOf(act) });
  await appendEntry(work, {
    action: `${verb} release`,
    outcome,
    code,
    change: act.change ?? generationChange(work.instance),
    release: { namespace: work.release.namespace, name: work.release.release, revision },
    objects,
  });
}

function manifestOf(record: RevisionRecord | undefined): RevisionManifest | undefined {
  return record === undefined ? undefined : { objects: record.objects, hooks: record.hooks };
}

/** Tests leave the release as it is. */
function manifestAfter({ verb, before }: ReleaseAct, after: RevisionRecord | undefined): RevisionManifest | undefined {
  return manifestOf(verb === 'test' ? before : after);
}

/** https://helm.sh/docs/topics/charts_hooks/#the-available-hooks */
const EVENTS: Readonly<Record<ReleaseAct['verb'], readonly string[]>> = {
  install: ['pre-install', 'post-install'],
  upgrade: ['pre-upgrade', 'post-upgrade'],
  'roll back': ['pre-rollback', 'post-rollback'],
  unlock: [],
  uninstall: ['pre-delete', 'post-delete'],
  test: ['test'],
};

function eventsOf({ verb, hooks }: ReleaseAct): readonly string[] {
  return hooks === 'Run' ? EVENTS[verb] : [];
}

/** Writes down objects that the deployer changed or removed without Helm. */
export async function auditObjects(
  work: Work,
  { action, change, ...names }: { readonly action: string; readonly change?: string } & Partial<ChangedObjects>,
): Promise<void> {
  const objects = { created: [], changed: [], removed: [], hooks: [], more: 0, ...names };
  await appendEntry(work, { action, outcome: 'succeeded', code: '', change: change ?? generationChange(work.instance), objects });
}

async function appendEntry(
  { ports, kind, instance, namespace, account }: Work,
  entry: Pick<AuditRecord, 'action' | 'outcome' | 'code' | 'change' | 'release' | 'objects'>,
): Promise<void> {
  const environment = environmentOf(ports.environments.all(), namespace)?.metadata.name ?? '';
  await ports.auditLog.append({
    time: ports.now().toISOString(),
    user: `system:serviceaccount:${account.namespace}:${account.name}`,
    groups: [],
    environment,
    target: `${environment}/${kind.resource}.${kind.group}/${instance.metadata.name}`,
    via: 'controller',
    requestId: '',
    ...entry,
  });
}

/** What asked for the tests that are due. */
export function testChange({ instance, testAt }: Work): string {
  return requestChange(instance.metadata.uid, 'test-at', testAt);
}

/** What asked for the records to be deleted. */
export function reinstallChange({ instance, reinstallAt }: Work): string {
  return requestChange(instance.metadata.uid, 'reinstall-at', reinstallAt);
}

export function uninstallChange({ instance }: Work): string {
  return deletionChange(instance);
}
