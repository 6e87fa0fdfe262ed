import pMap from 'p-map';
import { CRD } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { crdConflict, type CrdClaimant } from '../../domain/operator/crd-owner.ts';
import type { CrdFinding, CrdVerdict } from '../../domain/upgrade/crd-safety/finding.ts';
import { compareCrds } from '../../domain/upgrade/crd-safety/compare-crds.ts';
import { storedChecks } from '../../domain/upgrade/crd-safety/stored-checks.ts';
import { AppError, isAppError, type ErrorCode, type MissingPermission } from '../../domain/core/errors.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { isInChart, type OperatorStatus } from '../../domain/operator/operator-status.ts';
import { textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { AffectedInstances, PreviewedCrd, PreviewedCrds } from '../../domain/upgrade/preview/upgrade-preview.ts';
import { countAffected } from '../../form/migration/count-affected.ts';
import { checkStoredInstances } from '../../schema/stored/check-stored-instances.ts';
import type { NamedDryRun } from '../preflight/missing-permissions.ts';
import type { Ports } from '../ports.ts';
import type { DryRun } from '../preflight/dry-run-objects.ts';

export interface CrdsInput {
  /** Who asks whether the api-server takes the crds. */
  readonly dryRuns: DryRun;
  /** The crds of the new chart. */
  readonly candidates: readonly KubeObject[];
  readonly crds: OperatorStatus['crds'];
  readonly safety: PreviewedCrds['safety'];
  /** The Operator that is to bring them. */
  readonly claimant: CrdClaimant;
  readonly signal: AbortSignal;
}

export interface CheckedCrds extends PreviewedCrds {
  /** CRDs that the api-server could not be asked about. */
  readonly forbidden: readonly NamedDryRun[];
}

const MAX_FAULTS = 50;
const AWAY: ReadonlySet<ErrorCode> = new Set(['ClusterUnavailable', 'TooManyRequests']);

/** Compares the new CRDs with the live ones and with existing instances, read as the actor, and dry-runs them. Writes nothing. */
export async function previewCrds({ clusters }: Pick<Ports, 'clusters'>, actor: Actor, input: CrdsInput): Promise<CheckedCrds> {
  const cluster = clusters.asActor(actor);
  const checked = await pMap(input.candidates, async (candidate) => await checkCrd(cluster, candidate, input), { concurrency: 4 });
  const names = new Set(input.candidates.map(({ metadata }) => metadata.name));
  const left = input.crds.filter(({ name, origin }) => isInChart({ origin }) && !names.has(name));
  const items = [...checked.map(({ definition }) => definition), ...left.map(leftBehind)];
  return {
    items: items.toSorted((a, b) => (a.crd < b.crd ? -1 : 1)),
    safety: input.safety,
    missing: checked.flatMap(({ missing }) => (missing === undefined ? [] : [missing])),
    forbidden: checked.flatMap(({ forbidden }) => (forbidden === undefined ? [] : [forbidden])),
  };
}

interface CheckedCrd {
  readonly definition: PreviewedCrd;
  readonly missing?: MissingPermission;
  readonly forbidden?: NamedDryRun;
}

/** CRDs that the new chart does not hold stay, with all that is stored. */
function leftBehind({ name, kind }: OperatorStatus['crds'][number]): PreviewedCrd {
  return { crd: name, kind, change: 'retained', findings: [], faults: [], faultCount: 0 };
}

async function checkCrd(cluster: Cluster, candidate: KubeObject, { dryRuns, claimant, signal }: CrdsInput): Promise<CheckedCrd> {
  const name = candidate.metadata.name;
  const kind = textAt(candidate.spec, 'names', 'kind') ?? '';
  const { live, missing } = await readLive(cluster, name, signal);
  if (missing !== undefined)
    return { definition: { crd: name, kind, change: 'changed', findings: [], faults: [], faultCount: 0 }, missing };
  const checked: StoredVerdict =
    live === undefined ? { findings: [], faults: [] } : await checkStoredAsActor(cluster, { live, candidate, signal });
  const conflict = live === undefined ? undefined : crdConflict(live, claimant);
  const answer = conflict === undefined ? await dryRun(dryRuns, candidate, signal) : { rejection: conflict };
  const { findings, faults, affected, missing: unread } = checked;
  const isChanged = findings.length > 0 || faults.length > 0 || (live !== undefined && storedChecks(live, candidate).length > 0);
  const change = live === undefined ? 'added' : isChanged ? 'changed' : 'same';
  const definition = { crd: name, kind, change, findings, faults, faultCount: checked.faultCount ?? faults.length } as const;
  return {
    definition: {
      ...definition,
      ...(affected === undefined ? {} : { affected }),
      ...(answer.rejection === undefined ? {} : { rejection: answer.rejection }),
    },
    ...(unread === undefined ? {} : { missing: unread }),
    ...(answer.forbidden === undefined ? {} : { forbidden: answer.forbidden }),
  };
}

async function readLive(
  cluster: Cluster,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly live?: KubeObject; readonly missing?: MissingPermission }> {
  try {
    return { live: await cluster.get({ ...CRD, name }, { signal }) };
  } catch (error) {
    if (isAppError(error, 'NotFound')) return {};
    if (isAppError(error, 'Forbidden')) return { missing: missingOf(error, { verb: 'get', group: CRD.group, resource: CRD.resource }) };
    throw error;
  }
}

interface Stored {
  readonly live: KubeObject;
  readonly candidate: KubeObject;
  readonly signal: AbortSignal;
}

type StoredVerdict = Omit<CrdVerdict, 'crd'> & { readonly affected?: AffectedInstances; readonly missing?: MissingPermission };

/** What is stored is held against the new schema as the reconciler does it, but read as the actor. */
async function checkStoredAsActor(cluster: Cluster, { live, candidate, signal }: Stored): Promise<StoredVerdict> {
  try {
    const look = countAffected();
    const { unchecked = [], ...verdict } = await checkStoredInstances({ cluster, live, candidate, named: MAX_FAULTS, look, signal });
    const affected = look.result();
    return {
      ...verdict,
      findings: [...verdict.findings, ...unchecked.map(uncheckedRule)],
      ...(affected.total === 0 ? {} : { affected }),
    };
  } catch (error) {
    const findings = compareCrds(live, candidate);
    if (isAppError(error) && error.unanswered !== undefined) return { findings: [...findings, unreadable(error)], faults: [] };
    if (!isAppError(error, 'Forbidden')) throw error;
    const [group, resource] = [textAt(live.spec, 'group') ?? '', textAt(live.spec, 'names', 'plural') ?? ''];
    return { findings, faults: [], missing: missingOf(error, { verb: 'list', group, resource }) };
  }
}

/** Nobody can tell what is stored now, so the reconciler would not apply the definition either. */
function unreadable({ faults: [first], message }: AppError): CrdFinding {
  return { path: 'existing instances', message: `they could not be validated: ${first?.message ?? message}`, severity: 'Incompatible' };
}

function uncheckedRule(rule: string): CrdFinding {
  return {
    path: 'x-kubernetes-validations',
    message: `existing instances could not be validated against the rule: ${rule}`,
    severity: 'Notice',
  };
}

interface Answer {
  readonly rejection?: string;
  readonly forbidden?: NamedDryRun;
}

async function dryRun({ cluster }: DryRun, candidate: KubeObject, signal: AbortSignal): Promise<Answer> {
  const { apiVersion, kind, metadata, spec } = candidate;
  const plain = { apiVersion, kind, metadata: { name: metadata.name }, spec };
  try {
    await cluster.dryRunApply(CRD, plain, { fieldManager: OURS.fieldManager, signal });
    return {};
  } catch (error) {
    if (!(error instanceof AppError) || AWAY.has(error.code)) throw error;
    const { message } = error;
    if (error.code !== 'Forbidden') return { rejection: message };
    const permission = missingOf(error, { verb: 'patch', group: CRD.group, resource: CRD.resource });
    return { forbidden: { of: 'object', name: `CustomResourceDefinition ${metadata.name}`, permission, message } };
  }
}

function missingOf(error: AppError, otherwise: MissingPermission): MissingPermission {
  return error.missing ?? otherwise;
}
