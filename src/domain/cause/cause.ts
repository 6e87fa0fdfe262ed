import { listAt, textAt } from '../core/read.ts';
import type { Health } from '../health/health.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { Edge } from '../tree/find-edges.ts';
import { namespaceOf } from '../tree/object-index.ts';
import type { Placed } from '../tree/place-objects.ts';

/** Why a resource tree is not well, the cause first. */
export interface Cause {
  /** One sentence that names the cause: `Pod web-0 cannot be scheduled: …`. */
  readonly message: string;
  /** RFC 3339; absent where nothing says it. */
  readonly since?: string;
  /** From the cause to what it holds back, the root last; at most `MAX_CHAIN_LENGTH`. */
  readonly chain: readonly CauseLink[];
  /** The container that crashed. */
  readonly container?: CrashedContainer;
  /** The last line that it has written. */
  readonly log?: { readonly time: string; readonly text: string };
}

export interface CauseLink {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** What is wrong with it, without its name; empty where it only waits for the one before. */
  readonly message: string;
  readonly since?: string;
}

export interface CrashedContainer {
  readonly pod: string;
  readonly name: string;
  /** Whether its last run is over and another one has begun. */
  readonly previous: boolean;
}

/**
 * How a finding compares with others, the least telling first: it works all the same; it waits, mostly for something else; its controller reports a failure; it ran and
 * failed; nothing goes on before somebody changes something.
 */
export const RANKS = ['Warning', 'Waiting', 'Reported', 'Failed', 'Blocked'] as const;
export type Rank = (typeof RANKS)[number];

/** What is wrong with one object. */
export interface Finding {
  readonly rank: Rank;
  /** Continues `Pod web-0 …`, or is a text of somebody else's after a colon (`quoted`). */
  readonly message: string;
  readonly quoted?: true;
  /** The object fails for certain, whatever it reports itself. */
  readonly isCertain?: true;
  readonly since?: string;
  readonly container?: CrashedContainer;
}

/** An object of a tree with what is known about it. */
export interface Subject {
  readonly placed: Placed;
  readonly object: KubeObject;
  readonly health: Health | undefined;
  /** Warnings and normal events about it, the newest first. */
  readonly events: readonly EventFact[];
  readonly context: CauseContext;
}

/** The objects that are judged together. */
export interface CauseObjects {
  readonly root: KubeObject;
  /** All objects of the tree. */
  readonly placed: readonly Placed[];
  /** All objects that were read, those outside of the tree included. */
  readonly objects: readonly KubeObject[];
  /** The kinds (`group/Kind`) of which all objects of the namespace were read. */
  readonly listed: ReadonlySet<string>;
}

/** The same with what rules look up for every object. */
export interface CauseContext extends CauseObjects {
  /** Secrets that another resource of the tree is going to write: a Certificate, an ExternalSecret. */
  readonly writtenSecrets: ReadonlySet<string>;
  /** The workloads whose Pods have a label (`key=value`). */
  readonly workloadsByLabel: ReadonlyMap<string, readonly Workload[]>;
  readonly hasWorkloads: boolean;
}

/** What makes Pods, and the labels of these Pods. */
export interface Workload {
  readonly object: KubeObject;
  readonly labels: Readonly<Record<string, unknown>>;
}

export interface EventFact {
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** Undefined where the rule says nothing about the object. */
export type CauseRule = (subject: Subject) => Finding | undefined;

const MAX_MESSAGE_LENGTH = 300;

/** A foreign text as a part of a sentence: one line of bounded length, without the prefixes of gRPC and the final dot. */
export function excerpt(text: string): string {
  const line = text
    .slice(0, MAX_MESSAGE_LENGTH * 8)
    .replaceAll(/rpc error: code = \w+ desc = /g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '');
  return line.length <= MAX_MESSAGE_LENGTH ? line : `${line.slice(0, MAX_MESSAGE_LENGTH)}…`;
}

export function blocked(message: string, since?: string): Finding {
  return { rank: 'Blocked', message, ...sinceOf(since) };
}

export function failed(message: string, since?: string): Finding {
  return { rank: 'Failed', message, ...sinceOf(since) };
}

/** A member for objects whose members are left out when they have no value. */
export function sinceOf(since: string | undefined): { readonly since?: string } {
  return since === undefined || since === '' ? {} : { since };
}

/** When a condition took its present status; undefined when it has another one, or is not there. */
export function conditionSince(object: KubeObject, type: string, status: string): string | undefined {
  const found = listAt(object.status, 'conditions').find((one) => textAt(one, 'type') === type && textAt(one, 'status') === status);
  return textAt(found, 'lastTransitionTime');
}

export function hasCondition(object: KubeObject, type: string, status: string): boolean {
  return listAt(object.status, 'conditions').some((one) => textAt(one, 'type') === type && textAt(one, 'status') === status);
}

/** The newest event of one of the reasons whose message matches. */
export function eventOf({ events }: Pick<Subject, 'events'>, reasons: readonly string[], pattern = /(?:)/): EventFact | undefined {
  return events.find(({ reason, message }) => reasons.includes(reason) && pattern.test(message));
}

/** What a Pod or its workload names and cannot do without, although the namespace does not have it; references of the workload's template are its own. */
export function missingReferences(placed: Placed, context: Pick<CauseObjects, 'root' | 'listed'>): Edge[] {
  const own = placed.edges.filter((edge) => isMissing(edge, context));
  const { parent, edge } = placed;
  return parent === undefined || edge?.class !== 'Owner' ? own : [...own, ...missingReferences(parent, context)];
}

/** Whether the kind was listed, and what the edge names is not there. */
export function isMissing({ target, named, inferred, isOptional }: Edge, { root, listed }: Pick<CauseObjects, 'root' | 'listed'>): boolean {
  return inferred && target === undefined && !isOptional && named.namespace === namespaceOf(root) && listed.has(named.kind);
}
