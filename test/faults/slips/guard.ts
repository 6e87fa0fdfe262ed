import { keyOf, type KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { type KnownType, ROLE_BINDING } from '../../../src/domain/kubernetes/resource-types.ts';
import type { Kube } from '../../../src/kube/kube.ts';
import { elapse } from '../../support/elapse.ts';
import { ENVIRONMENTS } from './catalogue.ts';
import { ask, type ClusterState, DECLARED_TYPES, grantsOf, holdsSomething, isWatched, KEPT_TYPES, QUESTIONS } from './state.ts';

/** Watches that nothing is lost at any moment: each event of the api-server, and samples of what people may do. */
export interface Guard {
  /** What was wrong since the last call. */
  take(): readonly string[];
  /** The deletion of an Operator, AppDefinition or Environment of that name is a rename from now on, until `forgetMoves`. */
  allowMove(name: string): void;
  forgetMoves(): void;
  stop(): Promise<void>;
}

const AGAIN_MS = 100;
const SAMPLE_MS = 150;
const SAMPLES = 8;

/** @param base the state in which everybody has what is theirs. */
export function startGuard(kube: Kube, base: ClusterState): Guard {
  const ending = new AbortController();
  const moved = new Set<string>();
  let losses: string[] = [];
  const report = (sentence: string): void => void losses.push(`${new Date().toISOString()} ${sentence}`);
  const follow = async (type: KnownType, take: (kind: string, object: KubeObject) => void): Promise<void> =>
    await watchAll(kube, { type, signal: ending.signal, take });
  const running = [
    ...KEPT_TYPES.map(async (type) => await follow(type, (event, object) => lossOf(type, event, object).forEach(report))),
    ...DECLARED_TYPES.map(
      async (type) =>
        await follow(type, (event, object) => {
          const { name } = object.metadata;
          if (holdsSomething(type, name) && !moved.has(name)) lossOf(type, event, object).forEach(report);
        }),
    ),
    follow(ROLE_BINDING, grantsGuard(base, report)),
    sample(kube, { base, signal: ending.signal, report }),
  ];
  return {
    take: () => {
      const taken = losses;
      losses = [];
      return taken;
    },
    allowMove: (name) => void moved.add(name),
    forgetMoves: () => moved.clear(),
    stop: async () => {
      ending.abort();
      await Promise.all(running);
    },
  };
}

function lossOf(type: KnownType, event: string, object: KubeObject): readonly string[] {
  if (!isWatched(type, object)) return [];
  const isLost = event === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
  return isLost ? [`${type.kind} ${keyOf(object)} is deleted (${event})`] : [];
}

/** Keeps the grants of each environment in mind, and reports each moment in which they are others than in the base state. */
function grantsGuard(base: ClusterState, report: (sentence: string) => void): (event: string, object: KubeObject) => void {
  const grants = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const complete = new Set<string>();
  return (event, binding) => {
    const { namespace = '', name } = binding.metadata;
    if (!ENVIRONMENTS.some((one) => one === namespace)) return;
    const others = new Map(grants.get(namespace));
    if (event === 'DELETED') others.delete(name);
    else others.set(name, grantsOf(binding));
    grants.set(namespace, others);
    const now = [...new Set([...others.values()].flat())].sort();
    const expected = [...new Set((base.get(`permissions in ${namespace}`) ?? '').split('\n'))].sort();
    // A watch begins with what is there, one object after the other.
    if (now.join('\n') === expected.join('\n')) complete.add(namespace);
    else if (complete.has(namespace)) {
      const missing = expected.filter((grant) => !now.includes(grant));
      const more = now.filter((grant) => !expected.includes(grant));
      report(`permissions in ${namespace} after ${event} of RoleBinding ${name}: without ${missing.join(', ')}; beyond ${more.join(', ')}`);
    }
  };
}

interface Sampling {
  readonly base: ClusterState;
  readonly signal: AbortSignal;
  readonly report: (sentence: string) => void;
}

async function sample(kube: Kube, { base, signal, report }: Sampling): Promise<void> {
  for (let next = 0; !signal.aborted; next = (next + SAMPLES) % QUESTIONS.length) {
    for (const question of QUESTIONS.slice(next, next + SAMPLES)) {
      const answer = await ask(kube, question).catch(() => undefined);
      if (answer !== undefined && answer !== base.get(question.title)) report(`${question.title}: ${answer}`);
    }
    await elapse(SAMPLE_MS, signal);
  }
}

interface Watching {
  readonly type: KnownType;
  readonly signal: AbortSignal;
  readonly take: (event: string, object: KubeObject) => void;
}

async function watchAll(kube: Kube, { type, signal, take }: Watching): Promise<void> {
  const cluster = kube.asController();
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await cluster.list(type, { signal });
      for (const object of items) take('LISTED', object);
      for await (const event of cluster.watch(type, { resourceVersion, signal }))
        if (event.type !== 'BOOKMARK') take(event.type, event.object);
    } catch {
      // The watch is opened again, from a new list.
      await elapse(AGAIN_MS, signal);
    }
  }
}
