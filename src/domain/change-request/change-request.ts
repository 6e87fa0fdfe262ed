import type { PreflightVerdict } from '../preflight/findings.ts';
import { specOf, statusOf } from '../kind/kind.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';
import { CHANGE_REQUEST_KIND, type RequestDecision, type RequestPhase } from './change-request-kind.ts';

/** As pages and REST call it. An approved one is applied, or about to be. */
export const REQUEST_STATES = ['open', 'approved', 'declined', 'expired', 'withdrawn', 'failed'] as const;
export type RequestState = (typeof REQUEST_STATES)[number];
export const REQUEST_ACTIONS = ['install', 'change'] as const;
export type RequestAction = (typeof REQUEST_ACTIONS)[number];

/** How long a request stays open. */
const OPEN_MS = 14 * 24 * 3_600_000;
/** How long a closed request can still be looked at. */
export const KEPT_MS = 14 * 24 * 3_600_000;
/** Open requests of one person in an environment; open ones there in all; closed ones that are kept there. */
export const REQUEST_LIMITS = { ofPerson: 50, open: 200, closed: 100 } as const;

/**
 * An Instance as somebody wants it, kept as a ChangeRequest of the cluster so that somebody with the permission can look at it and do it. What is wanted never
 * changes after it was asked; only its state does. It holds no secret. Times are ISO 8601 in UTC.
 */
export interface ChangeRequest {
  /** The environment and the name of the resource: `team-a.orders-1f2e3d4c`. */
  readonly id: string;
  readonly action: RequestAction;
  readonly environment: string;
  /** The App's id. */
  readonly app: string;
  readonly name: string;
  /** The whole `spec` of what is to be installed; the JSON Merge Patch of the `spec` of what is to be changed. */
  readonly content: JsonObject;
  /** What goes beside the `spec`, or of a change the merge patch of it; absent: nothing. */
  readonly otherFields?: JsonObject;
  /** The `specVersionOf` the Instance that a change was made on; empty for an installation, and for a change of whatever is there. */
  readonly base: string;
  /** The result of the preflight as the person who asks reports it; absent when they ran none. */
  readonly preflightSummary?: RequestFindings;
  readonly requester: { readonly user: string; readonly groups: readonly string[] };
  /** Plain text of the person who asks; possibly empty. */
  readonly message: string;
  readonly created: string;
  readonly expires: string;
  readonly state: RequestState;
  readonly decidedBy?: string;
  readonly decidedAt?: string;
  /** What came of it, in the words of whoever decided or of the api-server; possibly empty. */
  readonly decisionMessage?: string;
}

/** A preflight in short. */
export interface RequestFindings {
  readonly verdict: PreflightVerdict;
  readonly blocked: readonly string[];
  readonly warned: readonly string[];
}

const STATES: Readonly<Record<RequestPhase, RequestState>> = {
  Open: 'open',
  Approved: 'approved',
  Applied: 'approved',
  Declined: 'declined',
  Withdrawn: 'withdrawn',
  Expired: 'expired',
  Failed: 'failed',
};

/** The id of a change request. Names of environments have no dot. */
function requestId(environment: string, name: string): string {
  return `${environment}.${name}`;
}

/** The environment and the name of the resource of an id; both empty for what is none. */
export function parseRequestId(id: string): { readonly environment: string; readonly name: string } {
  const [, environment = '', name = ''] = /^([^.]+)\.([^.]+)$/.exec(id) ?? [];
  return { environment, name };
}

/** When a request expires without a decision, in milliseconds since 1970. */
export function expiryOf(object: KubeObject): number {
  const { expires } = specOf(CHANGE_REQUEST_KIND, object);
  return expires === undefined ? Date.parse(object.metadata.creationTimestamp ?? '') + OPEN_MS : Date.parse(expires);
}

/**
 * The phase of a ChangeRequest at a time: what its status says, or what its decision says before the controller has seen it.
 *
 * @param now milliseconds since 1970
 */
export function phaseAt(object: KubeObject, now: number): RequestPhase {
  const { decision } = specOf(CHANGE_REQUEST_KIND, object);
  const { phase = 'Open' } = statusOf(CHANGE_REQUEST_KIND, object);
  if (phase !== 'Open') return phase;
  if (decision !== undefined) return decision.verdict;
  return expiryOf(object) <= now ? 'Expired' : 'Open';
}

/** A ChangeRequest as people see it. @param now milliseconds since 1970 */
export function changeRequestOf(
  object: KubeObject,
  { environment, now }: { readonly environment: string; readonly now: number },
): ChangeRequest {
  const { name: resource, creationTimestamp = '' } = object.metadata;
  const { action, app, name, content, otherFields, base, preflight, requester, message, decision } = specOf(CHANGE_REQUEST_KIND, object);
  return {
    id: requestId(environment, resource),
    action: action === 'Install' ? 'install' : 'change',
    environment,
    app,
    name,
    content,
    ...(otherFields === undefined ? {} : { otherFields }),
    base,
    ...(preflight === undefined ? {} : { preflightSummary: preflight }),
    requester,
    message,
    created: creationTimestamp,
    expires: new Date(expiryOf(object)).toISOString(),
    state: STATES[phaseAt(object, now)],
    ...decidedBy(object, decision),
  };
}

/** The status has the last word: it also tells why an approved request could not be applied. */
function decidedBy(
  object: KubeObject,
  decision: RequestDecision | undefined,
): Pick<ChangeRequest, 'decidedBy' | 'decidedAt' | 'decisionMessage'> {
  const { decidedBy = decision?.by, decidedAt, phase = 'Open', message } = statusOf(CHANGE_REQUEST_KIND, object);
  if (phase === 'Open' && decision === undefined) return {};
  const decisionMessage = phase === 'Failed' || decision === undefined ? message : decision.message;
  return {
    ...(decidedBy === undefined ? {} : { decidedBy }),
    ...(decidedAt === undefined ? {} : { decidedAt }),
    ...(decisionMessage === undefined ? {} : { decisionMessage }),
  };
}
