import type { Cause } from '../cause/cause.ts';
import { findCause, judgeObjects, type Verdicts } from '../cause/find-cause.ts';
import { type Health, worstHealth } from '../health/health.ts';
import { healthOf } from '../health/rules/health-of.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { DeclaredRelations } from './declared-edges.ts';
import { graphOf, type ObjectGraph, type Placed, placeObjects } from './place-objects.ts';
import type { ReleaseMembers } from './release-members.ts';

/** What health follows from, besides the objects. */
export interface JudgeContext {
  /** The kinds (`group/Kind`) of which the namespace has no other objects than those that were read. */
  readonly listed: ReadonlySet<string>;
  /** Events of the namespace, as far as they were read. */
  readonly events: readonly KubeObject[];
  /** What belongs to the root because it is of its Helm release. */
  readonly members: ReleaseMembers;
  /** What CRDs declare about relations. */
  readonly declared: DeclaredRelations;
  /** Of the objects; it is found again for a root that is not in it. */
  readonly graph: ObjectGraph;
}

/** The group of a root, and how it is. */
export interface JudgedTree {
  readonly top: Placed;
  /** The root and all below it. */
  readonly placed: readonly Placed[];
  readonly verdicts: Verdicts;
  /** The worst of all parts, in the words of its cause. */
  readonly health: Health;
  /** The parts that have this health, where it is a bad one. */
  readonly causes: readonly { readonly kind: string; readonly name: string; readonly message: string }[];
  readonly cause?: Cause;
}

/** Judges the group of a root: the one computation of the health of an app, whatever shows it. */
export function judgeTree(
  root: KubeObject,
  objects: readonly KubeObject[],
  { listed = new Set(), events = [], members, declared, graph }: Partial<JudgeContext> = {},
): JudgedTree {
  const whole = graph?.edges.has(root) === true ? graph : graphOf([root, ...objects], declared);
  const top = placeObjects(root, whole, members);
  const placed = flatten(top);
  const context = { root, placed, objects, listed };
  const verdicts = judgeObjects(context, events);
  const judged = placed.flatMap((one) => judgedOf(one, verdicts));
  const worst = isTelling(root, judged) ? worstHealth(judged.map(({ health }) => health)) : undefined;
  const status = worst?.status ?? 'Unknown';
  const causes = ['Healthy', 'Suspended', 'Unknown'].includes(status) ? [] : judged.filter(({ health }) => health.status === status);
  const cause = findCause(context, verdicts, worst);
  return {
    top,
    placed,
    verdicts,
    health: worst === undefined ? SILENT : explained(worst, verdicts.get(top)?.health, cause?.message),
    causes: causes.map(({ kind, name, health: { message } }) => ({ kind, name, message })),
    ...(cause === undefined ? {} : { cause }),
  };
}

interface Judged {
  readonly kind: string;
  readonly name: string;
  readonly health: Health;
}

function judgedOf(placed: Placed, verdicts: Verdicts): Judged[] {
  const { object } = placed;
  const { health, counts } = verdicts.get(placed) ?? {};
  return health === undefined || counts !== true ? [] : [{ kind: object.kind, name: object.metadata.name, health }];
}

const SILENT: Health = { status: 'Unknown', message: 'No health reported yet' };
const WORKLOADS = new Set(['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job']);

/**
 * A Service has an address from the first moment on, which says nothing about what is behind it: a tree is judged once the resource itself or
 * one of its workloads says how it is, or something says that it is not well.
 */
function isTelling(root: KubeObject, judged: readonly Judged[]): boolean {
  return healthOf(root) !== undefined || judged.some(({ kind, health }) => WORKLOADS.has(kind) || health.status !== 'Healthy');
}

/** What is well says so itself; of everything else the cause explains most. */
function explained(health: Health, own: Health | undefined, cause: string | undefined): Health {
  if (health.status !== 'Healthy' && cause !== undefined) return { status: health.status, message: cause };
  return own?.status === health.status && own.message !== '' ? own : health;
}

function flatten(placed: Placed): Placed[] {
  return [placed, ...placed.children.flatMap(flatten)];
}
