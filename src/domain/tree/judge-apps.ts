import type { Cause } from '../cause/cause.ts';
import type { Health } from '../health/health.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { type JudgeContext, judgeTree } from './judge-tree.ts';
import type { ObjectGraph } from './place-objects.ts';
import { isOfRelease, type ReleaseMembers, type ReleaseName, releaseOfInstance } from './release-members.ts';

/** How an app is, with all that it consists of. */
export interface JudgedApp {
  readonly root: KubeObject;
  readonly health: Health;
  /** Why it is not well; absent where nothing is known to be wrong. */
  readonly cause?: Cause;
  /** What it consists of, the root included. */
  readonly parts: readonly KubeObject[];
}

interface AppsContext extends Pick<JudgeContext, 'listed' | 'events'> {
  readonly graph: ObjectGraph;
}

/** Judges each app of a namespace as its own tree does. @param roots objects of the graph. */
export function judgeApps(roots: readonly KubeObject[], { graph, ...context }: AppsContext): ReadonlyMap<KubeObject, JudgedApp> {
  const { objects } = graph.index;
  const byRelease = Map.groupBy(objects, annotatedRelease);
  const judge = (root: KubeObject): JudgedApp => {
    const members = membersOf(root, { graph, byRelease });
    const { health, cause, placed } = judgeTree(root, objects, { ...context, graph, members });
    const parts = placed.filter(({ isPart }) => isPart).map(({ object }) => object);
    return { root, health, parts, ...(cause === undefined ? {} : { cause }) };
  };
  return new Map(roots.map((root) => [root, judge(root)]));
}

interface Members {
  readonly graph: ObjectGraph;
  readonly byRelease: ReadonlyMap<string, readonly KubeObject[]>;
}

/** What the annotations of Helm name, but for what an owner among these has made. */
function membersOf(root: KubeObject, { graph, byRelease }: Members): ReleaseMembers {
  const owned = (graph.followers.get(root) ?? []).map(({ holder }) => holder);
  const release = releaseOfInstance(root, owned);
  if (release === undefined) return new Map();
  const annotated = byRelease.get(keyOf(release)) ?? [];
  const isOwned = ({ metadata }: KubeObject): boolean => (metadata.ownerReferences ?? []).some(({ uid }) => graph.index.byUid.has(uid));
  const members = annotated.filter((object) => object !== root && !isOwned(object) && isOfRelease(object, release));
  return new Map(members.map((object) => [object, { kind: 'Annotation' }]));
}

function annotatedRelease({ metadata: { annotations = {} } }: KubeObject): string {
  return keyOf({ namespace: annotations['meta.helm.sh/release-namespace'] ?? '', name: annotations['meta.helm.sh/release-name'] ?? '' });
}

function keyOf({ namespace, name }: ReleaseName): string {
  return `${namespace}/${name}`;
}
