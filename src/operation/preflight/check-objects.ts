import { createHash } from 'node:crypto';
import { redact } from '../../domain/core/secret.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { joinFindings, type Finding, type Findings, type Remedy } from '../../domain/preflight/findings.ts';
import { missingPermissions, podsUnchecked, type NamedDryRun } from './missing-permissions.ts';
import { isHook } from '../operator/helm-ownership.ts';
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

/** A check of a release whose namespace does not exist yet. */
interface CheckElsewhere extends Omit<DryRunInput, 'state'> {
  /** A namespace that does. */
  readonly standIn: string;
}

/** Who tries: the deployer of the namespace that exists, and the account of the one that will apply the release. */
interface DryRunsElsewhere {
  readonly standIn: DryRun;
  readonly own: DryRun;
}

/**
 * What would become of the objects of a chart in a namespace that is created with them: each is tried under another name in a namespace that exists. Validation is
 * the same there. Policies can say something else, so what they reject is a warning; of quotas, pods and Pod Security nothing is known. Cluster-scoped objects, and
 * those of other namespaces, are tried as they are, by the name of the account that will apply them: permissions of an account count before it exists.
 *
 * @throws AppError as `dryRunObjects`.
 */
export async function checkObjectsElsewhere(
  dryRuns: DryRunsElsewhere,
  ports: Pick<Ports, 'discovery'>,
  { standIn, ...input }: CheckElsewhere,
): Promise<Omit<CheckedObjects, 'tried'>> {
  const kinds = await Promise.all(input.objects.map(({ apiVersion, kind }) => ports.discovery.find(apiVersion, kind, input.signal)));
  const isInside = ({ metadata }: KubeObject, index: number): boolean =>
    kinds[index]?.namespaced === true && (metadata.namespace ?? input.namespace) === input.namespace;
  const outside = input.objects.filter((object, index) => !isInside(object, index));
  const place = { state: 'ToBeCreated', forbidden: [] } as const;
  const beside = outside.length === 0 ? undefined : await checkObjects(dryRuns.own, ports, { ...input, ...place, objects: outside });
  const inside = input.objects.filter((object, index) => isInside(object, index) && !isHook(object));
  const findings = await checkInStandIn(dryRuns.standIn, ports, { ...input, standIn, objects: inside });
  return beside === undefined
    ? { findings, remedies: [] }
    : { findings: joinFindings([findings, beside.findings]), remedies: beside.remedies };
}

async function checkInStandIn(
  dryRuns: DryRun,
  ports: Pick<Ports, 'discovery'>,
  { standIn, objects: originals, ...input }: CheckElsewhere,
): Promise<Findings> {
  const objects = originals.map((object) => inStandIn(object, standIn));
  const { tried, left } = await dryRunObjects(dryRuns, ports, { ...input, namespace: standIn, state: 'ToBeCreated', objects });
  const found = tried.map((one, index) => {
    const { kind, metadata } = originals[index] ?? one.object;
    const as = (text: string): string => text.replaceAll(one.object.metadata.name, metadata.name);
    return findingsElsewhere(one, { name: redact(`${kind} ${input.namespace}/${metadata.name}`, input.secrets), standIn, as });
  });
  const untried = `Pods, quotas and Pod Security were not tried: the namespace ${input.namespace} is created with the instance. Its objects were tried in ${standIn}`;
  const more = left > 0 ? [line(`${left} more objects were not checked`, 'Object')] : [];
  return joinFindings([...found, { unchecked: [line(untried, 'Object'), ...more] }]);
}

const NAME_LENGTH = 16;

/** Under a name that nothing there has. */
function inStandIn(object: KubeObject, namespace: string): KubeObject {
  const { kind, metadata } = object;
  const digest = createHash('sha256').update(`${namespace} ${kind} ${metadata.name}`).digest('hex').slice(0, NAME_LENGTH);
  return { ...object, metadata: { ...metadata, namespace, name: `preflight-${digest}` } };
}

interface Elsewhere {
  /** Of the object, where it will be. */
  readonly name: string;
  readonly standIn: string;
  /** A text of the api-server with the name of the object. */
  readonly as: (text: string) => string;
}

function findingsElsewhere({ outcome, warnings, forbidden }: DryRunObject, { name, standIn, as }: Elsewhere): Partial<Findings> {
  const elsewhere = (message: string, subject: Finding['subject']): Finding =>
    line(`${name}: tried in ${standIn}: ${as(message)}`, subject, 'estimate');
  const warned = [
    ...warnings.map((warning) => line(`${name}: ${as(warning)}`, 'Policy')),
    ...forbidden.map(({ message }) => elsewhere(message, 'Permission')),
  ];
  if (outcome.kind === 'untried') return { warned };
  if (outcome.kind !== 'rejected') return { warned, created: [line(`${name}, after its namespace is created`, 'Object', 'estimate')] };
  const { subject, faults } = outcome;
  if (subject === 'Validation') return { warned, blocked: faults.map(({ message }) => line(`${name}: ${as(message)}`, subject)) };
  return { warned: [...warned, ...(subject === 'Quota' ? [] : faults.map(({ message }) => elsewhere(message, subject)))] };
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
