import { type Reconcile, type ReconcileResult, TerminalError } from '../../controller/controller.ts';
import { isAppError, messageOf } from '../../domain/core/errors.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { type Expiry, nextPhaseAt } from '../../domain/environment/expiry.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { type Condition, type ConditionInput, findCondition, mergeConditions } from '../../domain/kubernetes/condition.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isIncomplete } from '../../domain/kubernetes/kept-object.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import { type KubeObject, timestamp } from '../../domain/kubernetes/resource.ts';
import { applyStatus } from '../apply-status.ts';
import { deleteWithIntent } from '../../domain/kubernetes/deletion-intent.ts';
import { addFinalizer, removeFinalizerOfLostKind } from '../finalizer.ts';
import { healthRulesValid } from '../health-rules.ts';
import { keepDeleted } from '../keep/keep-deleted.ts';
import { applyEnvironment } from './apply-environment.ts';
import { keepAppsPolicy } from './apps-policy.ts';
import type { EnvironmentSpec } from './environment-spec.ts';
import { FOREIGN_GRANTS } from './foreign-grants.ts';
import { finalizeEnvironment } from './finalize-environment.ts';
import { takeOverNamespace } from './move.ts';
import { createNamespace, labelNamespace, removeNamespace } from './namespace.ts';
import { type EnvironmentAction, nextEnvironmentAction } from './next-action.ts';
import type { EnvironmentPorts } from './ports.ts';
import { instancesNow } from './report-instances.ts';
import { type EnvironmentState, readState } from './state.ts';

/** How soon something that others finish is looked at again. */
const SOON_MS = 1_000;
/** How soon to look whether new kinds can be counted. */
const COUNTABLE_MS = 15_000;
const AT_ONCE: ReconcileResult = { requeueAfter: 0 };

/** The condition of an Environment that is true now, with its reason and message. */
interface EnvironmentCondition {
  readonly kind: 'Ready' | 'Reconciling' | 'Stalled';
  /** CamelCase, as of conditions. */
  readonly reason: string;
  readonly message: string;
  /** The reserved namespace, once it is. */
  readonly namespace?: KubeObject;
}

/** Makes the function that brings an Environment one act nearer to its spec. */
export function createEnvironmentReconciler(ports: EnvironmentPorts): Reconcile {
  return async (name, signal) => {
    const environment = await findEnvironment(ports.cluster, name, signal);
    if (environment === undefined || isIncomplete(environment)) return {};
    const { deletionTimestamp } = environment.metadata;
    const deletion = { type: ENVIRONMENT, object: environment, signal };
    if (deletionTimestamp !== undefined && (await removeFinalizerOfLostKind(ports.cluster, deletion)) === 'KindLost') return {};
    try {
      const state = await readState(ports, environment, signal);
      const decision = state.ownership.kind === 'Terminating' ? undefined : await keepDeleted(ports.cluster, deletion);
      if (decision?.kind === 'Keep') return {};
      if (decision?.kind === 'Wait') return await wait(ports, environment, { act: { ...decision, kind: 'await-removal' }, signal });
      return await act(ports, state, { act: nextEnvironmentAction(state), signal });
    } catch (error) {
      signal.throwIfAborted();
      throw await reported(ports, environment, { error, signal });
    }
  };
}

interface Next<A extends EnvironmentAction> {
  readonly act: A;
  readonly signal: AbortSignal;
}

async function act(ports: EnvironmentPorts, state: EnvironmentState, { act, signal }: Next<EnvironmentAction>): Promise<ReconcileResult> {
  const { environment, spec } = state;
  switch (act.kind) {
    case 'apply':
      await writeEnvironmentCondition(ports, environment, {
        condition: readyIn(act.namespace),
        also: [
          ...(await applyEnvironment(ports, { environment, spec, namespace: act.namespace }, signal)),
          ...expiryConditions(state),
          ...healthRulesValid(environment, ports.failedRules),
        ],
        expiry: spec.expiry,
        signal,
      });
      return { requeueAfter: Math.min(untilNextLook(spec, ports.now()), ports.appLimits().pending ? COUNTABLE_MS : Infinity) };
    case 'expire':
      await expire(ports, environment, { spec, signal });
      return {};
    case 'reject':
    case 'await-removal':
    case 'await-move':
      return await wait(ports, environment, { act, signal });
    case 'release-namespace':
    case 'finish':
      await finalizeEnvironment(ports.cluster, environment, { act, signal });
      return {};
    case 'rest':
      return {};
    case 'add-finalizer':
    case 'create-namespace':
    case 'adopt-namespace':
    case 'remove-namespace':
    case 'take-over-namespace':
      await step(ports, state, { act, signal });
      return AT_ONCE;
    default:
      return act satisfies never;
  }
}

type Wait = Extract<EnvironmentAction, { kind: 'reject' | 'await-removal' | 'await-move' }>;

/** Says what the Environment waits for. */
async function wait(ports: EnvironmentPorts, environment: KubeObject, { act, signal }: Next<Wait>): Promise<ReconcileResult> {
  const { reason, message } = act;
  const kind = act.kind === 'reject' ? 'Stalled' : 'Reconciling';
  await writeEnvironmentCondition(ports, environment, { condition: { kind, reason, message }, signal });
  return { requeueAfter: act.kind === 'reject' ? DRIFT_MS : SOON_MS };
}

type Step = Extract<
  EnvironmentAction,
  { kind: 'add-finalizer' | 'create-namespace' | 'adopt-namespace' | 'remove-namespace' | 'take-over-namespace' }
>;

/** The acts after which the state is read again at once. */
async function step(ports: EnvironmentPorts, { environment, spec }: EnvironmentState, { act, signal }: Next<Step>): Promise<void> {
  const { cluster } = ports;
  switch (act.kind) {
    case 'add-finalizer':
      return void (await addFinalizer(cluster, { type: ENVIRONMENT, object: environment, signal }));
    case 'create-namespace':
      return createNamespace(cluster, environment, { spec, signal });
    case 'adopt-namespace':
      return labelNamespace(cluster, environment, { namespace: act.namespace, spec, signal });
    case 'take-over-namespace':
      // The policy of the former name does not match the label that the namespace gets.
      await keepAppsPolicy(ports, { environment, spec, signal });
      return takeOverNamespace(cluster, { environment, namespace: act.namespace, spec, signal });
    case 'remove-namespace':
      return removeNamespace(cluster, { namespace: act.namespace, signal });
    default:
      return act satisfies never;
  }
}

function readyIn(namespace: KubeObject): EnvironmentCondition {
  return { kind: 'Ready', reason: 'Ready', message: `namespace ${namespace.metadata.name} is ready`, namespace };
}

async function findEnvironment(cluster: EnvironmentPorts['cluster'], name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  return await ifFound(cluster.get({ ...ENVIRONMENT, name }, { signal }));
}

/** Tells the failure in the status; what only an edit can heal is not tried again. A version that moved on is no news. */
async function reported(
  ports: EnvironmentPorts,
  environment: KubeObject,
  input: { error: unknown; signal: AbortSignal },
): Promise<unknown> {
  const { error, signal } = input;
  if (isAppError(error, 'Conflict', 'AlreadyExists', 'ClusterUnavailable')) return error;
  const terminal = isAppError(error, 'InvalidInput');
  const condition: EnvironmentCondition = {
    kind: terminal ? 'Stalled' : 'Reconciling',
    reason: terminal ? 'InvalidSpec' : 'Retrying',
    message: messageOf(error),
  };
  await writeEnvironmentCondition(ports, environment, { condition, signal });
  return terminal ? new TerminalError(error.code, error.message, { faults: error.faults, cause: error }) : error;
}

/** Writes the status when it differs from what the Environment carries, and an Event when the standing has changed. */
async function writeEnvironmentCondition(
  ports: EnvironmentPorts,
  environment: KubeObject,
  input: { condition: EnvironmentCondition; also?: readonly ConditionInput[]; expiry?: Expiry | undefined; signal: AbortSignal },
): Promise<void> {
  const { condition, also = [], expiry, signal } = input;
  const { metadata } = environment;
  const { conditions: earlier, namespace, namespaceUID, instances: counted } = statusOf(ENVIRONMENT_KIND, environment);
  const conditions = mergeConditions(earlier, [...conditionsOf(condition, metadata.generation ?? 0), ...also], timestamp(ports.now()));
  const found = namespace === undefined ? undefined : ports.instancesIn?.(namespace);
  const instances = found === undefined ? counted : instancesNow(counted, found);
  const status = {
    observedGeneration: metadata.generation ?? 0,
    ...(instances === undefined ? {} : { instances }),
    ...namespaceOf({ namespace, namespaceUID }, condition),
    ...(expiry === undefined ? {} : { expiresAt: timestamp(new Date(expiry.expiresAt)) }),
    conditions,
  };
  if ((await applyStatus(ports.cluster, ENVIRONMENT, { object: environment, status, signal })) === 'Unchanged') return;
  await recordExpiry(ports, environment, { earlier, conditions });
  await recordForeignGrants(ports, environment, { earlier, conditions });
  const before = earlier.find((condition) => condition.type === 'Ready');
  if (before?.reason === condition.reason) return;
  await ports.events.record(environment, {
    type: condition.kind === 'Stalled' ? 'Warning' : 'Normal',
    reason: condition.reason,
    message: condition.message,
  });
}

function conditionsOf({ kind, reason, message }: EnvironmentCondition, observedGeneration: number): ConditionInput[] {
  const ready: ConditionInput = { type: 'Ready', status: kind === 'Ready' ? 'True' : 'False', reason, message, observedGeneration };
  return kind === 'Ready' ? [ready] : [ready, { ...ready, type: kind, status: 'True' }];
}

interface Reserved {
  readonly namespace?: string | undefined;
  readonly namespaceUID?: string | undefined;
}

function namespaceOf(before: Reserved, { namespace }: EnvironmentCondition): Reserved {
  const name = namespace?.metadata.name ?? before.namespace;
  const uid = namespace?.metadata.uid ?? before.namespaceUID;
  return { ...(name === undefined ? {} : { namespace: name }), ...(uid === undefined ? {} : { namespaceUID: uid }) };
}

/** How often everything is put right again although nobody changed the Environment. */
const DRIFT_MS = 5 * 60_000;

/** Milliseconds until an Environment is looked at again, at the latest when its next phase begins. */
function untilNextLook({ expiry }: EnvironmentSpec, now: Date): number {
  const next = expiry && nextPhaseAt(expiry, now.getTime());
  return next === undefined ? DRIFT_MS : Math.min(DRIFT_MS, next - now.getTime());
}

/** The condition Expired of an Environment with an end; its times are absolute, so that it changes only with the phase. */
function expiryConditions({ environment, spec, expiry, keeper }: EnvironmentState): ConditionInput[] {
  if (spec.expiry === undefined || expiry === undefined) return [];
  const [expires, deletes] = [timestamp(new Date(spec.expiry.expiresAt)), timestamp(new Date(spec.expiry.deleteAt))];
  const end = spec.reclaim === 'Delete' ? 'with its namespace and everything in it' : 'and keeps its namespace';
  const how = keeper === undefined ? `Chandlery deletes it at ${deletes}, ${end}` : `${keeper} would create it again, so delete it there`;
  const condition = { type: 'Expired', observedGeneration: environment.metadata.generation ?? 0 };
  switch (expiry) {
    case 'NotDue':
      return [{ ...condition, status: 'False', reason: 'NotDue', message: `the environment expires at ${expires}` }];
    case 'ExpiresSoon': {
      const message = `the environment expires at ${expires}; change spec.expires to keep it. After that, ${how}`;
      return [{ ...condition, status: 'False', reason: 'ExpiresSoon', message }];
    }
    case 'Expired':
    case 'Due': {
      const message = `the environment expired at ${expires}; change spec.expires to keep it. ${how}`;
      return [{ ...condition, status: 'True', reason: 'Expired', message }];
    }
    default:
      return expiry satisfies never;
  }
}

interface Phases {
  readonly earlier: readonly Condition[];
  readonly conditions: readonly Condition[];
}

/** Warns once in each phase. */
async function recordExpiry(
  { events }: Pick<EnvironmentPorts, 'events'>,
  environment: KubeObject,
  { earlier, conditions }: Phases,
): Promise<void> {
  const now = findCondition(conditions, 'Expired');
  if (now === undefined || now.reason === 'NotDue' || findCondition(earlier, 'Expired')?.reason === now.reason) return;
  await events.record(environment, { type: 'Warning', reason: now.reason, message: now.message });
}

/** Warns whenever other RoleBindings are found. */
async function recordForeignGrants(
  { events }: Pick<EnvironmentPorts, 'events'>,
  environment: KubeObject,
  { earlier, conditions }: Phases,
): Promise<void> {
  const now = findCondition(conditions, FOREIGN_GRANTS);
  if (now === undefined || findCondition(earlier, FOREIGN_GRANTS)?.message === now.message) return;
  await events.record(environment, { type: 'Warning', reason: FOREIGN_GRANTS, message: now.message });
}

/** Deletes an Environment whose end has come; the finalizer does what `reclaim` says. */
async function expire(
  { cluster, events }: Pick<EnvironmentPorts, 'cluster' | 'events'>,
  environment: KubeObject,
  { spec, signal }: { readonly spec: EnvironmentSpec; readonly signal: AbortSignal },
): Promise<void> {
  const message = `the environment expired at ${timestamp(new Date(spec.expiry?.expiresAt ?? 0))} and is deleted`;
  await events.record(environment, { type: 'Warning', reason: 'Deleted', message });
  // Only as it was read: somebody may have given it more time since.
  await ifFound(deleteWithIntent(cluster, { type: ENVIRONMENT, object: environment, only: 'Version', signal }));
}
