import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isPinned, isVersion } from '../../domain/chart/chart-version.ts';
import { AppError } from '../../domain/core/errors.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import { installedChart, parseOperatorStatus } from '../../domain/operator/operator-status.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import type { Decisions } from '../../form/migration/decide-migration.ts';
import {
  APPROVED_UPGRADE,
  approvalText,
  digestDiffers,
  checkApproval,
  parseApproval,
  type Approval,
} from '../../domain/upgrade/upgrade-approval.ts';
import { findOperator, type OperatorAddress, operatorWords } from '../operator/find-operator.ts';
import { audited, operatorEvent } from '../audit/audited.ts';
import { decideOwnValues } from './decide-values.ts';
import { channelOf, loadUpgradeInputs } from './upgrade-charts.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Ports } from '../ports.ts';
import { runQueued } from './upgrade-ports.ts';

export interface ApprovalInput extends OperatorAddress {
  readonly version: string;
  /** `sha256:<hex>` of the chart that was looked at; empty: whatever has that version. */
  readonly digest: string;
  /** What becomes of values that the new chart asks about, changed by the same write; absent: they stay. */
  readonly decisions?: Decisions;
  readonly preconditions?: Preconditions;
}

const PATIENCE_MS = 60_000;

/**
 * Approves a newer version as the actor, by an annotation on the Operator. The controller does the rest in its own time, and only with the bytes
 * that were approved.
 *
 * @throws AppError as `findOperator`; `InvalidInput` for what is no version or digest, and for values that are not
 *   decided; `Conflict` when the Operator was changed meanwhile; `ApprovalInvalid` for one that would have no effect;
 *   `Forbidden` without the permission to patch the Operator.
 */
export async function approveUpgrade(
  ports: Pick<Ports, 'clusters' | 'upgrades' | 'auditLog'>,
  actor: Actor,
  input: ApprovalInput & RequestOrigin,
): Promise<OperatorView> {
  const event = operatorEvent('approve upgrade', input, input);
  const target = `${event.target} ${input.version.slice(0, 100)}`;
  return await audited(ports, actor, { ...event, target }, async () => await approve(ports, actor, input));
}

async function approve(ports: Pick<Ports, 'clusters' | 'upgrades'>, actor: Actor, input: ApprovalInput): Promise<OperatorView> {
  const { namespace, name } = input;
  const { operator, annotations } = await checkedApproval(ports, actor, input);
  return await writeChecked({ ...input, what: operatorWords(input), object: operator }, async (only) => {
    const values = await valuesOf(ports, actor, { ...input, annotations });
    const patch = { type: 'merge', body: { ...values, metadata: { ...values.metadata, ...only } } } as const;
    const ref = { ...OPERATOR, namespace, name };
    const { object } = await ports.clusters.asActor(actor).patch(ref, patch, { fieldManager: OURS.userFieldManager });
    return operatorView(object);
  });
}

/**
 * What would approve a newer version in a file, as a JSON Merge Patch: the annotation and the values as they were decided; of an Operator that pins a version, that
 * version. Throws as `approveUpgrade`.
 */
export async function approvalPatch(
  ports: Pick<Ports, 'clusters' | 'upgrades'>,
  actor: Actor,
  input: ApprovalInput,
): Promise<{ readonly operator: KubeObject; readonly patch: JsonObject }> {
  const { version, digest } = parsed(input);
  const found = await findOperator(ports, actor, input);
  const { chart } = parseOperatorSpec(found);
  if (chart.kind === 'repository' && isPinned(channelOf(parseOperatorSpec(found))))
    return { operator: found, patch: { spec: { chart: { version, ...(chart.digest === undefined ? {} : { digest: digest ?? null }) } } } };
  const { operator, annotations } = await checkedApproval(ports, actor, input);
  const { metadata, spec } = await valuesOf(ports, actor, { ...input, annotations });
  const { resourceVersion: _version, ...kept } = metadata;
  return { operator, patch: { metadata: kept, ...(spec === undefined ? {} : { spec }) } as JsonObject };
}

interface ApprovalPatch {
  readonly metadata: { readonly annotations: Decided['annotations']; readonly resourceVersion?: string };
  readonly spec?: object;
}

/** The Operator, and the annotation that approves the version. */
async function checkedApproval(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  input: ApprovalInput,
): Promise<{ readonly operator: KubeObject; readonly annotations: Decided['annotations'] }> {
  const approval = parsed(input);
  const operator = await findOperator(ports, actor, input);
  const [spec, status] = [parseOperatorSpec(operator), parseOperatorStatus(operator)];
  const installed = installedChart(status)?.version;
  const { policy } = spec.upgrade;
  const verdict = checkApproval({ ...channelOf(spec), text: approvalText(approval), policy, installed, offered: [] });
  if (verdict.kind === 'NoEffect') throw new AppError('ApprovalInvalid', `operator "${input.name}": ${verdict.fault.message}`);
  if (verdict.kind === 'Without')
    throw new AppError('ApprovalInvalid', `operator "${input.name}": ${whyNone(policy, installed, input.version)}`);
  return { operator, annotations: { [APPROVED_UPGRADE]: approvalText(approval) } };
}

async function valuesOf(ports: Pick<Ports, 'clusters' | 'upgrades'>, actor: Actor, input: Decided): Promise<ApprovalPatch> {
  return input.decisions === undefined ? { metadata: { annotations: input.annotations } } : await withValues(ports, actor, input);
}

interface Decided extends ApprovalInput {
  readonly annotations: Readonly<Record<string, string>>;
}

/** The approval together with the values as they were decided, on the very Operator and chart that the decisions are about. */
async function withValues(ports: Pick<Ports, 'clusters' | 'upgrades'>, actor: Actor, input: Decided): Promise<ApprovalPatch> {
  const { name, version, digest, decisions, annotations } = input;
  const turn = { actor, milliseconds: PATIENCE_MS };
  const gathered = await runQueued(ports.upgrades, turn, (signal) => loadUpgradeInputs(ports, actor, { address: input, version, signal }));
  const { previewed, patch } = decideOwnValues({ ...gathered, decisions });
  const rejected = (why: string): AppError => new AppError('ApprovalInvalid', `operator "${name}": ${why}`);
  if (digest !== '' && gathered.charts.to.digest !== digest) throw rejected(digestDiffers({ version, digest }).message);
  if (previewed.source !== undefined && previewed.rows.length > 0)
    throw rejected(`a file of the source ${previewed.source} sets its values; change them in that file, and approve without decisions`);
  if (previewed.faults.length > 0)
    throw new AppError('InvalidInput', 'decisions: some values need a decision', { faults: previewed.faults });
  const { resourceVersion } = gathered.operator.metadata;
  const metadata = { annotations, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return { metadata, ...(patch === undefined || Object.keys(patch).length === 0 ? {} : { spec: { values: patch } }) };
}

function parsed({ version, digest }: ApprovalInput): Approval {
  const approval = parseApproval(digest === '' ? version : `${version}@${digest}`);
  if (approval !== undefined) return approval;
  const field = isVersion(version) ? 'digest' : 'version';
  const message = field === 'version' ? 'Write one version, such as 1.5.0' : 'Write sha256: and 64 hexadecimal digits';
  throw new AppError('InvalidInput', `approval: ${message}`, { faults: [{ field, message }] });
}

function whyNone(policy: string, installed: string | undefined, version: string): string {
  if (policy === 'Automatic') return 'the policy Automatic installs newer versions without an approval';
  return installed === undefined
    ? 'nothing is installed yet, and a first installation needs no approval'
    : `${version} is already installed`;
}
