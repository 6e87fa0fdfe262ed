import type { JsonObject } from '../kubernetes/resource.ts';

export const PLAN_STATES = ['open', 'approved', 'declined', 'expired', 'withdrawn'] as const;
export type PlanState = (typeof PLAN_STATES)[number];
export const PLAN_ACTIONS = ['install', 'change'] as const;
export type PlanAction = (typeof PLAN_ACTIONS)[number];

/**
 * An Instance as somebody wants it, kept under an address so that somebody with the right can look at it and do it. What is wanted never changes
 * after it was asked; only its state does. It holds no secret. Times are ISO 8601 in UTC.
 */
export interface SharedPlan {
  /** 128 random bits in hexadecimal digits. */
  readonly id: string;
  /** The uid of the cluster that it was made for. */
  readonly cluster: string;
  readonly action: PlanAction;
  readonly environment: string;
  /** The App's id. */
  readonly app: string;
  readonly name: string;
  /** The whole `spec` of what is to be installed; the JSON Merge Patch of the `spec` of what is to be changed. */
  readonly content: JsonObject;
  /** What goes beside the `spec`, or of a change the merge patch of it; absent: nothing. */
  readonly beside?: JsonObject;
  /** The `specVersionOf` the Instance that a change was made on; empty for an installation. */
  readonly base: string;
  /** What the preflight told the person who asks. */
  readonly found: PlanFindings;
  readonly requester: { readonly user: string; readonly groups: readonly string[] };
  /** Plain text of the person who asks; possibly empty. */
  readonly message: string;
  readonly created: string;
  readonly expires: string;
  readonly state: PlanState;
  readonly decidedBy?: string;
  readonly decidedAt?: string;
  /** What came of it, in the words of whoever decided; possibly empty. */
  readonly outcome?: string;
}

/** A preflight in short. */
export interface PlanFindings {
  readonly verdict: 'Ready' | 'Blocked';
  readonly blocked: readonly string[];
  readonly warned: readonly string[];
}

/** How a plan ends. */
export interface PlanDecision {
  readonly state: Exclude<PlanState, 'open' | 'expired'>;
  readonly decidedBy: string;
  readonly decidedAt: string;
  readonly outcome: string;
}

/** How many plans there may be. */
export interface PlanBounds {
  /** Open ones of one person. */
  readonly ofPerson: number;
  /** Open ones of all together. */
  readonly ofAll: number;
  /** Ended ones of one person; those that were asked for first are forgotten. */
  readonly ended: number;
}

/** The plans that are kept. */
export interface PlanTable {
  /** A plan whose time is over is `expired`. */
  get(id: string): Promise<SharedPlan | undefined>;
  /** All of them, the newest first. */
  list(): Promise<readonly SharedPlan[]>;
  /** Adds a plan, unless a bound is reached: then the answer is which. */
  add(plan: SharedPlan, bounds: PlanBounds): Promise<'added' | 'ofPerson' | 'ofAll'>;
  /** Ends a plan that is open; with `late`, also one that ended meanwhile. The answer is whether it did. */
  decide(id: string, decision: PlanDecision, late?: 'late'): Promise<boolean>;
}

/** The state of a plan at a time, in milliseconds since 1970. */
export function planAt(plan: SharedPlan, now: number): SharedPlan {
  return plan.state === 'open' && Date.parse(plan.expires) <= now ? { ...plan, state: 'expired' } : plan;
}
