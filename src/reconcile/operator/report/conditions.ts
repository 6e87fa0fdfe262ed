import { OPERATOR_KIND } from '../../../domain/operator/kind/operator-kind.ts';
import { specOf } from '../../../domain/kind/kind.ts';
import type { PendingUpgrade, Rollback } from '../../../domain/operator/kind/status-fields.ts';
import { checkCatalogBlock } from '../../../domain/catalog/check-catalog.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { isFalse, isTrue } from '../../conditions.ts';
import type { ConditionInput } from '../../../domain/kubernetes/condition.ts';
import type { AppError } from '../../../domain/core/errors.ts';
import { addressOf, type ChartSource } from '../../../domain/operator/operator-spec.ts';
import type { DeployPhase } from '../acts/deploy.ts';
import type { DeployVerb } from '../state.ts';
import { conversionsSentence, type RenderedChart } from '../../../domain/chart/rendered-chart.ts';
import type { CrdFact } from '../facts/observe-crds.ts';
import type { ReleaseFact } from '../../helm-release/observe-release.ts';
import { differencesSentence } from '../../helm-release/compare-release.ts';
import type { DriftFact } from '../drift.ts';
import type { OperatorHealth } from '../facts/observe-health.ts';
import type { Chart, ReleaseRef } from '../../helm-release/ports.ts';

export function fetched(source: ChartSource, chart: Chart): ConditionInput {
  const { name, version } = chart.contents.metadata;
  const signed = chart.signer === undefined ? '' : `, signed by ${chart.signer}`;
  const message = `Chart ${name} ${version} (${chart.digest.slice(0, 19)}) was fetched from ${addressOf(source)}${signed}`;
  return isTrue('Fetched', 'Fetched', message);
}

export function uplifted({ conversions }: RenderedChart): ConditionInput {
  if (conversions.length === 0) return isTrue('Uplifted', 'NoDeprecatedAPIs', 'The chart uses no deprecated APIs');
  return isTrue('Uplifted', 'DeprecatedAPIsConverted', `${conversions.length} converted: ${conversionsSentence(conversions)}`);
}

/** What is about to be done. */
export function deploying(verb: DeployVerb, { release, namespace }: ReleaseRef): ConditionInput {
  const what = `Release ${namespace}/${release}`;
  switch (verb) {
    case 'install':
      return isFalse('Released', 'Installing', `${what} is being installed`);
    case 'upgrade':
      return isFalse('Released', 'Upgrading', `${what} is being upgraded`);
    case 'adopt':
      return isFalse('Released', 'Adopting', `${what}, which has no owner, is being adopted`);
    case 'restore':
      return isFalse('CRDsEstablished', 'Restoring', 'Missing CRDs are applied again');
    default:
      return verb satisfies never;
  }
}

export function rollingBack({ release, namespace }: ReleaseRef, { chart, revision, toRevision }: Rollback): ConditionInput {
  const why = `chart ${chart} failed in revision ${revision}`;
  return isFalse('Released', 'RollingBack', `Release ${namespace}/${release} is rolled back to revision ${toRevision}: ${why}`);
}

/** A new revision is about to come. */
export const UNTESTED: ConditionInput = {
  type: 'Tested',
  status: 'Unknown',
  reason: 'NotTested',
  message: 'The tests run when the new revision is healthy',
};

export function crdsEstablished(crds: readonly CrdFact[]): ConditionInput {
  const waiting = crds.filter((crd) => !crd.established).map((crd) => crd.name);
  if (waiting.length > 0) return isFalse('CRDsEstablished', 'NotEstablished', `Not established yet: ${waiting.join(', ')}`);
  if (crds.length === 0) return isTrue('CRDsEstablished', 'NoCRDs', 'The chart has no CRDs');
  const former = crds.filter((crd) => crd.origin === 'former').map((crd) => crd.name);
  const kept = former.length === 0 ? '' : `. No longer in the chart, but kept: ${former.join(', ')}`;
  return isTrue('CRDsEstablished', 'Established', `Established: ${crds.map((crd) => crd.name).join(', ')}${kept}`);
}

/** Whether the catalogue block fits the kinds; reported only while there is something to compare. What is installed does not depend on it. */
export async function catalogValid(operator: KubeObject, crds: readonly CrdFact[]): Promise<readonly ConditionInput[]> {
  if (crds.length === 0 || specOf(OPERATOR_KIND, operator).catalog.kinds.length === 0) return [];
  const faults = await checkCatalogBlock(
    operator,
    crds.map(({ object }) => object),
  );
  const [first] = faults;
  if (first === undefined) return [isTrue('CatalogValid', 'Valid', 'Every kind and path of spec.catalog exists')];
  return [isFalse('CatalogValid', first.reason, faults.map(({ field, message }) => `${field}: ${message}`).join('; '))];
}

export function healthy({ status: word, message, reason }: OperatorHealth): ConditionInput {
  if (word === 'Healthy' || word === 'Suspended') return isTrue('Healthy', word, message);
  return word === 'Unknown' ? { type: 'Healthy', status: 'Unknown', reason: word, message } : isFalse('Healthy', reason ?? word, message);
}

export function drifted(fact: DriftFact): ConditionInput {
  const { uncompared } = fact;
  if (fact.drifted.length === 0 && uncompared.length > 0) {
    const more = uncompared.length > NAMED ? `; and ${uncompared.length - NAMED} more` : '';
    const message = `Some objects could not be compared with the release: ${uncompared.slice(0, NAMED).join('; ')}${more}`;
    return { type: 'Drifted', status: 'Unknown', reason: 'NotCompared', message: message.slice(0, MAX_MESSAGE_LENGTH) };
  }
  if (fact.drifted.length === 0) return isFalse('Drifted', 'NoDrift', 'Every object matches the release');
  if (!fact.contended) return isTrue('Drifted', 'DriftDetected', differencesSentence(fact));
  return isTrue(
    'Drifted',
    'Contended',
    `Changed again by another manager after the correction, so no longer corrected: ${differencesSentence(fact)}`,
  );
}

const MAX_MESSAGE_LENGTH = 16_000;
const NAMED = 10;

/** The release when a deployment ended before it came to it. */
export function notReleased({ release, namespace }: ReleaseRef, fact: ReleaseFact): ConditionInput {
  if (fact.kind !== 'Own') return isFalse('Released', 'NotInstalled', `Release ${namespace}/${release} is not installed yet`);
  return isFalse('Released', 'NotUpgraded', `Release ${namespace}/${release} stays in revision ${fact.revision}`);
}

/** The condition that a failed step of a deployment belongs to. */
export function failedPhase(phase: DeployPhase, error: AppError): ConditionInput {
  switch (phase) {
    case 'Render':
      return isFalse('Released', error.code === 'HelmFailed' ? 'RenderFailed' : error.code, error.message);
    case 'Uplift':
      return isFalse('Uplifted', 'ConversionFailed', error.message);
    case 'CRDs':
      return isFalse('CRDsEstablished', error.code, error.message);
    case 'Release':
      return isFalse('Released', error.code === 'NotFound' ? 'NamespaceMissing' : error.code, error.message);
    default:
      return phase satisfies never;
  }
}

/** `Version 1.5.0 awaits approval` */
export function waitingSentence({ reason, version, opensAt = '' }: PendingUpgrade): string {
  if (reason === 'AwaitingApproval') return `Version ${version} awaits approval`;
  return `The upgrade to version ${version} waits for the maintenance window, which opens ${opensAt}`;
}

/** Told only while an approval has no effect. */
export function unapproved({ approvalFault: fault }: Pick<Chart, 'approvalFault'>): readonly ConditionInput[] {
  return fault === undefined ? [] : [isFalse('Approved', fault.reason, fault.message)];
}
