import { joinFindings, type Finding, type Findings, type Remedy } from '../../domain/preflight/findings.ts';
import { missingPermissions, podsUnchecked, type NamedDryRun } from './missing-permissions.ts';
import type { Ports } from '../ports.ts';
import { dryRunObjects, type DryRun, type DryRunObject, type DryRunInput } from './dry-run-objects.ts';

interface CheckInput extends DryRunInput {
  /** What was not tried of something else, and is to be reported with it. */
  readonly forbidden: readonly NamedDryRun[];
}

export interface CheckedObjects {
  readonly tried: readonly DryRunObject[];
  readonly findings: Findings;
  /** What would let the controller's account do what it has to. */
  readonly remedies: readonly Remedy[];
}

/**
 * What would become of the objects of a chart, line by line: what is new, changes, or belongs to somebody else, whose pods would not be let in, and
 * what could not be tried.
 *
 * @throws AppError as `dryRunObjects`.
 */
export async function checkObjects(dryRuns: DryRun, ports: Pick<Ports, 'discovery'>, input: CheckInput): Promise<CheckedObjects> {
  const { tried, left } = await dryRunObjects(dryRuns, ports, input);
  const forbidden = tried.flatMap(({ name, forbidden: own }) => own.map((one) => ({ ...one, name })));
  const { remedies, ...lacking } = await missingPermissions(dryRuns, ports, { ...input, forbidden: [...input.forbidden, ...forbidden] });
  const more = left > 0 ? [line(`${left} more objects were not checked`, 'Object')] : [];
  return { tried, remedies, findings: joinFindings([...tried.map(findingsOf), lacking, { unchecked: more }]) };
}

function findingsOf(tried: DryRunObject): Partial<Findings> {
  const { name, outcome, warnings, podsInconclusive } = tried;
  const warned = [...warnings.map((warning) => line(`${name}: ${warning}`, 'Policy')), ...podsRejected(tried)];
  const rest = { warned, unchecked: podsInconclusive === undefined ? [] : [podsUnchecked(name, podsInconclusive)] };
  switch (outcome.kind) {
    case 'created': {
      const known = outcome.evidence === 'exact' ? name : `${name}, after its CRD or namespace is created`;
      return { ...rest, created: [line(known, 'Object', outcome.evidence)] };
    }
    case 'changed':
      return { ...rest, changed: [line(name, 'Object', outcome.evidence)] };
    case 'rejected': {
      const colon = outcome.subject === 'Object' ? '' : ':';
      return { ...rest, blocked: outcome.faults.map(({ message }) => line(`${name}${colon} ${message}`, outcome.subject)) };
    }
    case 'same':
    case 'untried':
      return rest;
    default:
      return outcome satisfies never;
  }
}

/** The line about pods that will not be let in, if they are not. */
export function podsRejected({ name, pods }: DryRunObject): Finding[] {
  return pods === undefined ? [] : [line(`Pods of ${name} will be rejected: ${pods.message}`, pods.subject)];
}

function line(message: string, subject: Finding['subject'], evidence: Finding['evidence'] = 'exact'): Finding {
  return { message, subject, evidence };
}
