import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import { type ChangeRequest, changeRequestOf } from '../../domain/change-request/change-request.ts';
import {
  CHANGE_REQUEST_KIND,
  type ChangeRequestSpec,
  type ChangeRequestStatus,
  type RequestDecision,
  type RequestPhase,
} from '../../domain/change-request/change-request-kind.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { type Actor, parseActor } from '../../domain/kubernetes/actor.ts';
import { type Cluster, type EventRecorder, ifFound } from '../../domain/kubernetes/cluster.ts';
import { type ConditionInput, mergeConditions } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CHANGE_REQUEST, NAMESPACE } from '../../domain/kubernetes/resource-types.ts';
import { type KubeObject, timestamp } from '../../domain/kubernetes/resource.ts';
import { applyStatus } from '../apply-status.ts';
import { nextRequestAction } from './state.ts';

export interface ChangeRequestPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'applyStatus' | 'delete'>;
  /** All ChangeRequests. */
  readonly requests: () => readonly KubeObject[];
  /**
   * Writes what a request asks for as the approver, and only as they: with their permissions, after the api-server has said that they may approve it. Does nothing when
   * it is written already.
   *
   * @param digest of the effect that they have reviewed; absent: they take whatever it is now.
   */
  readonly applyAs: (approver: Actor, request: ChangeRequest, digest?: string) => Promise<void>;
  /** The paths of secrets in the content of a request. */
  readonly secretsIn: (spec: ChangeRequestSpec) => readonly string[];
  /** Whether the admission policy is in force that vouches for the names in a request. */
  readonly isGuarded: (signal: AbortSignal) => Promise<boolean>;
  readonly events: EventRecorder;
  readonly now: () => Date;
}

/** How long an approval that cannot be applied is tried again: whoever approved it has long gone on then. */
const RETRY_MS = 10 * 60_000;

/** Makes the function that closes, applies and in the end deletes change requests. Its key is `namespace/name`. */
export function createChangeRequestReconciler(ports: ChangeRequestPorts): Reconcile {
  return async (key, signal) => {
    const [namespace = '', name = ''] = key.split('/');
    const object = await ifFound(ports.cluster.get({ ...CHANGE_REQUEST, namespace, name }, { signal }));
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {};
    const all = ports.requests().filter(({ metadata }) => metadata.namespace === namespace);
    const now = ports.now().getTime();
    const next = nextRequestAction(object, all, now);
    switch (next.kind) {
      case 'wait':
        return next.until === undefined ? {} : { requeueAfter: Math.min(next.until - now, MAX_WAIT_MS) };
      case 'report':
        await report(ports, object, { ...withoutSecrets(ports, object, next), signal });
        return AT_ONCE;
      case 'apply':
        return await apply(ports, object, { decision: next.decision, signal });
      case 'delete':
        await ifFound(ports.cluster.delete({ ...CHANGE_REQUEST, namespace, name }, { signal, ...onlyThis(object) }));
        return {};
      default:
        return next satisfies never;
    }
  };
}

/** A new request with a secret is declined instead: nobody is to approve it, and whoever wrote it has to know. */
function withoutSecrets(
  { secretsIn }: ChangeRequestPorts,
  object: KubeObject,
  next: Pick<Report, 'phase' | 'message'>,
): Pick<Report, 'phase' | 'message'> {
  if (next.phase !== 'Open') return next;
  const paths = secretsIn(specOf(CHANGE_REQUEST_KIND, object));
  if (paths.length === 0) return next;
  const where = paths.slice(0, MAX_PATHS).join(', ');
  return {
    phase: 'Declined',
    message: `${where}: everybody in the environment can read this secret: replace it, and refer to a Secret in a new request`,
  };
}

const MAX_PATHS = 10;
const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** Timers hold no more than 24 days. */
const MAX_WAIT_MS = 24 * 3_600_000;

function onlyThis({ metadata: { uid } }: KubeObject): { readonly uid?: string } {
  return uid === undefined ? {} : { uid };
}

interface Applying {
  readonly decision: RequestDecision;
  readonly signal: AbortSignal;
}

async function apply(ports: ChangeRequestPorts, object: KubeObject, { decision, signal }: Applying): Promise<ReconcileResult> {
  const { decidedAt = '' } = statusOf(CHANGE_REQUEST_KIND, object);
  try {
    if (!(await ports.isGuarded(signal)))
      throw new AppError('ClusterUnavailable', 'change request: the admission policy chandlery-change-requests is not in force yet');
    const approver = approverOf(object, decision);
    const request = changeRequestOf(object, { environment: await environmentOf(ports, object, signal), now: ports.now().getTime() });
    await ports.applyAs(approver, request, decision.digest);
  } catch (error) {
    signal.throwIfAborted();
    const isLate = ports.now().getTime() - Date.parse(decidedAt) >= RETRY_MS;
    if (!isAppError(error) || (isTransient(error, decision) && !isLate)) throw error;
    await report(ports, object, { phase: 'Failed', message: failureOf(error, decision), code: error.code, signal });
    return AT_ONCE;
  }
  await report(ports, object, { phase: 'Applied', message: decision.message, signal });
  return AT_ONCE;
}

/** Without a token of the approver, where calls carry the tokens of people, nobody writes anything for them. */
function failureOf({ code, message }: AppError, { by }: RequestDecision): string {
  if (code !== 'Unauthenticated') return message;
  return `${by} is not signed in where Chandlery applies change requests with their token: create a new request, and have it approved on its page`;
}

/** The admission policy says the same; it is worth saying twice. @throws AppError `ActorMissing`, `Forbidden`. */
function approverOf(object: KubeObject, { by, groups }: RequestDecision): Actor {
  if (specOf(CHANGE_REQUEST_KIND, object).requester.user === by)
    throw new AppError('Forbidden', 'nobody approves their own request: ask somebody else to approve a new one');
  return parseActor(by, groups);
}

async function environmentOf({ cluster }: ChangeRequestPorts, { metadata }: KubeObject, signal: AbortSignal): Promise<string> {
  const namespace = await cluster.get({ ...NAMESPACE, name: metadata.namespace ?? '' }, { signal, answer: 'metadata' });
  const environment = namespace.metadata.labels?.[OURS.environmentLabel];
  if (environment !== undefined) return environment;
  throw new AppError('NotFound', `namespace ${namespace.metadata.name}: it belongs to no Environment: create the request in one`);
}

/** Without a digest, what changed meanwhile is simply read again. A name that cannot be impersonated stays one. */
function isTransient({ status, code }: AppError, { digest }: RequestDecision): boolean {
  return (status >= 500 && code !== 'ActorMissing') || code === 'TooManyRequests' || (code === 'Conflict' && digest === undefined);
}

interface Report {
  readonly phase: RequestPhase;
  readonly message: string;
  /** Of the error that kept it from being applied. */
  readonly code?: string;
  readonly signal: AbortSignal;
}

async function report(ports: ChangeRequestPorts, object: KubeObject, { phase, message, code, signal }: Report): Promise<void> {
  const time = timestamp(ports.now());
  const { decision } = specOf(CHANGE_REQUEST_KIND, object);
  const before = statusOf(CHANGE_REQUEST_KIND, object);
  const { decidedBy = decision?.by, decidedAt = time } = before;
  const observedGeneration = object.metadata.generation ?? 0;
  const conditions = conditionsOf(phase, { message, code }).map((condition) => ({ ...condition, observedGeneration }));
  const status: ChangeRequestStatus = {
    observedGeneration,
    phase,
    ...(decidedBy === undefined ? {} : { decidedBy, decidedAt }),
    message,
    conditions: mergeConditions(before.conditions, conditions, time),
  };
  await applyStatus(ports.cluster, CHANGE_REQUEST, { object, status, signal });
  if (phase === 'Open') return;
  const who = decidedBy === undefined ? '' : ` by ${decidedBy}`;
  const text = `${phase}${who}${message === '' ? '' : `: ${message}`}`;
  await ports.events.record(object, { type: phase === 'Failed' ? 'Warning' : 'Normal', reason: phase, message: text });
}

/** `kubectl wait --for=condition=Applied` works, and so does `Approved`. */
function conditionsOf(
  phase: RequestPhase,
  { message, code }: { readonly message: string; readonly code: string | undefined },
): ConditionInput[] {
  const isApproved = phase === 'Approved' || phase === 'Applied' || phase === 'Failed';
  const approved = phase === 'Open' ? 'Unknown' : isApproved ? 'True' : 'False';
  const condition = { reason: code ?? phase, message };
  return [
    { ...condition, type: 'Approved', status: approved, reason: isApproved ? 'Approved' : phase },
    {
      ...condition,
      type: 'Applied',
      status: phase === 'Applied' ? 'True' : phase === 'Open' || phase === 'Approved' ? 'Unknown' : 'False',
    },
  ];
}
