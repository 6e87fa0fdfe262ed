import { isDeepStrictEqual } from 'node:util';
import pMap from 'p-map';
import { textAt } from '../../domain/core/read.ts';
import { POD } from '../../domain/kubernetes/resource-types.ts';
import type { DryRunCluster } from '../../domain/kubernetes/cluster.ts';
import {
  AppError,
  isAppError,
  sentenceOfFault,
  type ErrorCode,
  type FieldFault,
  type MissingPermission,
} from '../../domain/core/errors.ts';
import type { Finding, FindingSubject } from '../../domain/preflight/findings.ts';
import { podOf } from '../../domain/preflight/as-dry-run-pod.ts';
import { redact } from '../../domain/core/secret.ts';
import { type KubeObject, type ObjectMeta, parseApiVersion, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { foreignOwner, HELM_MANAGER, isHook, marked, type ReleasePlace } from '../operator/helm-ownership.ts';
import type { Ports } from '../ports.ts';
import { dryRunPod } from './dry-run-pod.ts';

/** Who tries: the controller or the deployer of the Environment, whoever is going to apply the objects, or the actor, where neither may be asked for them. */
export interface DryRun {
  readonly cluster: DryRunCluster;
  readonly by: 'controller' | 'deployer' | 'actor';
  /** The AppDefinition whose releases a deployer applies. */
  readonly definition?: KubeObject;
  /** Its account comes with the first instance, and others try in its place. */
  readonly isFuture?: true;
}

export interface DryRunInput extends ReleasePlace {
  /** What a chart renders, without its CRDs. */
  readonly objects: readonly KubeObject[];
  readonly crds: readonly KubeObject[];
  /** `<group>/<kind>` of the CRDs of the chart itself. */
  readonly kindsOfChart: ReadonlySet<string>;
  /** Of the release's namespace; `ToBeCreated`: Helm creates it with the release. */
  readonly state: 'Exists' | 'ToBeCreated';
  readonly secrets: readonly string[];
  /** `<apiVersion> <kind>` of what the actor may not read: whether such an object changes is not reported. Default: none. */
  readonly hidden?: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** What would become of one object. */
type Outcome =
  | { readonly kind: 'created' | 'changed'; readonly evidence: Finding['evidence'] }
  | { readonly kind: 'same' }
  /** It is somebody else's, or the api-server says no; with the faults in its words, redacted. */
  | { readonly kind: 'rejected'; readonly subject: FindingSubject; readonly faults: readonly FieldFault[] }
  /** Nobody could be asked. */
  | { readonly kind: 'untried' };

export interface DryRunObject {
  readonly object: KubeObject;
  /** `Deployment ns/name`, redacted. */
  readonly name: string;
  readonly outcome: Outcome;
  readonly warnings: readonly string[];
  /** Why its pods would not be let in. */
  readonly pods?: { readonly subject: FindingSubject; readonly message: string };
  /** Why its pods were not tried. */
  readonly podsInconclusive?: string;
  readonly forbidden: readonly ForbiddenDryRun[];
}

/** A dry run that was rejected for want of a permission, or because it would give away permissions that its account lacks. */
export interface ForbiddenDryRun {
  readonly of: 'object' | 'pods';
  readonly permission: MissingPermission;
  readonly message: string;
}

interface TriedObjects {
  readonly tried: readonly DryRunObject[];
  /** How many more there are. */
  readonly left: number;
}

const MAX_ITEMS = 100;
const MAX_LENGTH = 600;
const AWAY: ReadonlySet<ErrorCode> = new Set(['ClusterUnavailable', 'TooManyRequests']);

/**
 * Asks the api-server by a dry run of the apply that Helm does what would become of each object of a chart, and whether the pods that it is a template
 * of would be let in. Hooks are left out: Helm makes them anew each time.
 *
 * @throws AppError when the cluster is away; the reason of the signal.
 */
export async function dryRunObjects(dryRuns: DryRun, { discovery }: Pick<Ports, 'discovery'>, input: DryRunInput): Promise<TriedObjects> {
  const own = input.objects.filter((object) => !isHook(object));
  const tried = await pMap(
    own.slice(0, MAX_ITEMS),
    async (object) => await dryRunObject(dryRuns, await discovery.find(object.apiVersion, object.kind, input.signal), { object, input }),
    { concurrency: 4 },
  );
  return { tried, left: Math.max(0, own.length - MAX_ITEMS) };
}

/** An apply that changes nothing would confirm a guess of what is there. */
const MAY_CHANGE: Outcome = { kind: 'changed', evidence: 'estimate' };

interface ObjectDryRun {
  readonly object: KubeObject;
  readonly input: DryRunInput;
}

type Answer = Pick<DryRunObject, 'outcome'> & Partial<Pick<DryRunObject, 'warnings' | 'forbidden'>>;

async function dryRunObject({ cluster }: DryRun, kind: ServedKind | undefined, question: ObjectDryRun): Promise<DryRunObject> {
  const { object, input } = question;
  const wanted = kind === undefined ? object : marked(object, kind, input);
  const known = { object, name: nameOf(wanted, input), warnings: [], forbidden: [] };
  if (kind === undefined) return { ...known, outcome: ofUnservedKind(question) };
  const answer = await tryWrite(cluster, kind, { wanted, input });
  const { kind: word } = answer.outcome;
  const pod = podOf(object, input.namespace);
  if (pod === undefined || input.state === 'ToBeCreated' || word === 'same' || word === 'rejected') return { ...known, ...answer };
  return { ...known, ...answer, ...(await askForPods(cluster, pod, { input, answer })) };
}

function ofUnservedKind({ object, input }: ObjectDryRun): Outcome {
  const { apiVersion, kind } = object;
  if (input.kindsOfChart.has(`${parseApiVersion(apiVersion).group}/${kind}`)) return { kind: 'created', evidence: 'estimate' };
  return { kind: 'rejected', subject: 'Validation', faults: [{ message: `the cluster has no kind ${kind} of ${apiVersion}` }] };
}

async function tryWrite(
  cluster: DryRunCluster,
  kind: ServedKind,
  { wanted, input }: { readonly wanted: KubeObject; readonly input: DryRunInput },
): Promise<Answer> {
  const { signal } = input;
  const { name, namespace } = wanted.metadata;
  const place = namespace === undefined ? {} : { namespace };
  try {
    const live = await cluster.metadataOf({ ...kind, name, ...place }, { signal });
    const owner = live === undefined ? undefined : foreignOwner(live, input);
    if (owner !== undefined) return { outcome: { kind: 'rejected', subject: 'Object', faults: [{ message: `already exists: ${owner}` }] } };
    const { metadata, warnings } = await cluster.dryRunApply(kind, wanted, { fieldManager: HELM_MANAGER, signal });
    const isHidden = input.hidden?.has(`${wanted.apiVersion} ${wanted.kind}`) === true;
    const outcome = isHidden && live !== undefined ? MAY_CHANGE : outcomeOf(live, metadata);
    return { outcome, warnings: warnings.map((warning) => shown(warning, input)) };
  } catch (error) {
    if (!(error instanceof AppError) || AWAY.has(error.code)) throw error;
    // A webhook with side effects cannot be asked; it says nothing about the write itself.
    if (/does not support dry run/i.test(error.message)) return { outcome: { kind: 'untried' }, warnings: [shown(error.message, input)] };
    if (isAppError(error, 'Forbidden')) {
      const permission = error.missing ?? { verb: 'patch', group: kind.group, resource: kind.resource, ...place };
      return { outcome: { kind: 'untried' }, forbidden: [{ of: 'object', permission, message: shown(error.message, input) }] };
    }
    if (isAppError(error, 'NotFound') && isMade(namespace, input)) return { outcome: { kind: 'created', evidence: 'estimate' } };
    if (isAppError(error, 'NotFound') && bindsRoleOfRelease(wanted, input)) return { outcome: { kind: 'created', evidence: 'exact' } };
    return { outcome: { kind: 'rejected', subject: subjectOf(error), faults: faultsIn(error, input) } };
  }
}

/** An apply that changes nothing leaves the times of managed fields as they are, so metadata tells whether anything changes. */
function outcomeOf(live: ObjectMeta | undefined, after: ObjectMeta): Outcome {
  if (live === undefined) return { kind: 'created', evidence: 'exact' };
  const same = ['generation', 'labels', 'annotations', 'managedFields'].every((part) => isDeepStrictEqual(live[part], after[part]));
  return same ? { kind: 'same' } : { kind: 'changed', evidence: 'exact' };
}

/** What goes into a namespace that comes with it cannot be asked for. */
function isMade(namespace: string | undefined, { state, objects, ...place }: DryRunInput): boolean {
  if (namespace === place.namespace && state === 'ToBeCreated') return true;
  return objects.some(({ apiVersion, kind, metadata }) => apiVersion === 'v1' && kind === 'Namespace' && metadata.name === namespace);
}

/**
 * Whether a binding names a role that comes with it: the api-server looks for the role, and a dry run makes none. A user who may make the role may bind it, because
 * Kubernetes compares the same rules with their permissions.
 */
function bindsRoleOfRelease({ kind, metadata, ...binding }: KubeObject, { objects, namespace }: DryRunInput): boolean {
  if (kind !== 'RoleBinding' && kind !== 'ClusterRoleBinding') return false;
  const [role, name] = [textAt(binding, 'roleRef', 'kind'), textAt(binding, 'roleRef', 'name')];
  return objects.some(
    (object) =>
      object.kind === role &&
      object.metadata.name === name &&
      (role === 'ClusterRole' || (object.metadata.namespace ?? namespace) === (metadata.namespace ?? namespace)),
  );
}

function subjectOf({ code }: AppError): FindingSubject {
  if (code === 'AdmissionDenied') return 'Policy';
  if (code === 'WebhookUnavailable') return 'Webhook';
  return code === 'QuotaExceeded' ? 'Quota' : 'Validation';
}

function faultsIn(error: AppError, input: DryRunInput): FieldFault[] {
  const faults: readonly FieldFault[] = error.faults.length === 0 ? [{ message: error.message }] : error.faults;
  return faults.map((fault) => ({ ...fault, message: shown(sentenceOfFault(fault), input) }));
}

async function askForPods(
  cluster: DryRunCluster,
  pod: KubeObject,
  { input, answer }: { readonly input: DryRunInput; readonly answer: Answer },
): Promise<Partial<DryRunObject>> {
  const verdict = await dryRunPod(cluster, pod, input.signal);
  switch (verdict.kind) {
    case 'Admitted':
      return {};
    case 'Rejected':
      return { pods: { subject: verdict.subject, message: shown(verdict.message, input) } };
    case 'Inconclusive':
      return { podsInconclusive: shown(verdict.why, input) };
    case 'Forbidden': {
      const { error } = verdict;
      const permission = error.missing ?? { verb: 'create', group: POD.group, resource: POD.resource, namespace: input.namespace };
      return { forbidden: [...(answer.forbidden ?? []), { of: 'pods', permission, message: shown(error.message, input) }] };
    }
    default:
      return verdict satisfies never;
  }
}

function shown(text: string, { secrets }: DryRunInput): string {
  return redact(text, secrets).slice(0, MAX_LENGTH);
}

function nameOf({ kind, metadata }: KubeObject, input: DryRunInput): string {
  return shown(`${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`, input);
}
