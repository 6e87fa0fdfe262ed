import type { JsonObject } from '../kubernetes/resource.ts';

export const REQUEST_STATES = ['open', 'approved', 'declined', 'expired', 'withdrawn'] as const;
export type RequestState = (typeof REQUEST_STATES)[number];
/** Characters of the message of who asks, and of the answer of who declines. */
export const MAX_MESSAGE_LENGTH = 1_000;
export const MAX_REASON_LENGTH = 500;
export const REQUEST_ACTIONS = ['install', 'change'] as const;
export type RequestAction = (typeof REQUEST_ACTIONS)[number];

/**
 * An Instance as somebody wants it, kept under an address so that somebody with the permission can look at it and do it. What is wanted never changes
 * after it was asked; only its state does. It holds no secret. Times are ISO 8601 in UTC.
 */
export interface ChangeRequest {
  /** 128 random bits in hexadecimal digits. */
  readonly id: string;
  /** The uid of the cluster that it was made for. */
  readonly cluster: string;
  readonly action: RequestAction;
  readonly environment: string;
  /** The App's id. */
  readonly app: string;
  readonly name: string;
  /** The whole `spec` of what is to be installed; the JSON Merge Patch of the `spec` of what is to be changed. */
  readonly content: JsonObject;
  /** What goes beside the `spec`, or of a change the merge patch of it; absent: nothing. */
  readonly otherFields?: JsonObject;
  /** The `specVersionOf` the Instance that a change was made on; empty for an installation. */
  readonly base: string;
  /** The result of the preflight for the person who asks. */
  readonly preflightSummary: RequestFindings;
  readonly requester: { readonly user: string; readonly groups: readonly string[] };
  /** Plain text of the person who asks; possibly empty. */
  readonly message: string;
  readonly created: string;
  readonly expires: string;
  readonly state: RequestState;
  readonly decidedBy?: string;
  readonly decidedAt?: string;
  /** What came of it, in the words of whoever decided; possibly empty. */
  readonly decisionMessage?: string;
}

/** A preflight in short. */
export interface RequestFindings {
  readonly verdict: 'Ready' | 'Blocked';
  readonly blocked: readonly string[];
  readonly warned: readonly string[];
}

/** How a change request ends. */
export interface RequestDecision {
  readonly state: Exclude<RequestState, 'open' | 'expired'>;
  readonly decidedBy: string;
  readonly decidedAt: string;
  readonly decisionMessage: string;
}

/** How many change requests there may be. */
export interface RequestBounds {
  /** Open ones of one person. */
  readonly ofPerson: number;
  /** Open ones of all together. */
  readonly ofAll: number;
  /** Ended ones of one person; those that were asked for first are forgotten. */
  readonly ended: number;
}

/** The change requests that are kept. */
export interface ChangeRequestTable {
  /** A change request whose time is over is `expired`. */
  get(id: string): Promise<ChangeRequest | undefined>;
  /** All of them, the newest first. */
  list(): Promise<readonly ChangeRequest[]>;
  /** Adds a change request, unless a bound is reached: then the answer is which. */
  add(changeRequest: ChangeRequest, bounds: RequestBounds): Promise<'added' | 'ofPerson' | 'ofAll'>;
  /** Ends a change request that is open; with `late`, also one that ended meanwhile. The answer is whether it did. */
  decide(id: string, decision: RequestDecision, late?: 'late'): Promise<boolean>;
}

/** The state of a change request at a time, in milliseconds since 1970. */
export function requestAt(changeRequest: ChangeRequest, now: number): ChangeRequest {
  return changeRequest.state === 'open' && Date.parse(changeRequest.expires) <= now
    ? { ...changeRequest, state: 'expired' }
    : changeRequest;
}
