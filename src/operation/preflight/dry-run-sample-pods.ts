import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { PodEvidence } from '../../domain/preflight/pod-security.ts';
import type { ResourceType } from '../../domain/kubernetes/resource.ts';
import { findSamplePods, type SamplePods, type PodReader } from './find-sample-pods.ts';
import { listEnvironments } from '../environment/list-environments.ts';
import type { Ports } from '../ports.ts';
import { dryRunPod } from './dry-run-pod.ts';

interface SamplePodsInput {
  readonly type: ResourceType;
  /** Where the instance is to be; the actor has the right to create or change it there. */
  readonly environment: { readonly name: string; readonly namespace: string };
}

const PATIENCE_MS = 3_000;
const MOST_ELSEWHERE = 5;
const LONGEST = 600;

/**
 * What the namespace says to pods as other instances of the kind have: of this environment, else of others that the actor sees. They are read as the
 * actor and tried as the controller, because people may hardly ever create pods, and what lets pods in does not look at who asks. After three seconds
 * nothing is known.
 */
export async function dryRunSamplePods(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery'>,
  actor: Actor,
  { type, environment }: SamplePodsInput,
): Promise<PodEvidence> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const found = await findAnywhere(ports, actor, { type, environment, signal });
    if (found === undefined) return { kind: 'None' };
    const trial = ports.clusters.tryAsController(actor);
    const verdicts = await Promise.all(found.pods.map(async (pod) => await dryRunPod(trial, pod, signal)));
    if (verdicts.every(({ kind: word }) => word === 'Forbidden' || word === 'Inconclusive')) return { kind: 'None' };
    const refusals = verdicts.flatMap((verdict) =>
      verdict.kind === 'Refused' ? [{ about: verdict.about, message: verdict.message.slice(0, LONGEST) }] : [],
    );
    const warnings = verdicts.flatMap((verdict) => (verdict.kind === 'Admitted' ? verdict.warnings : []));
    return { kind: 'Tried', of: found.of, refusals, warnings };
  } catch (error) {
    if (signal.aborted || isAppError(error, 'ClusterUnavailable', 'TooManyRequests')) return { kind: 'None' };
    throw error;
  }
}

async function findAnywhere(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery'>,
  actor: Actor,
  { type, environment, signal }: SamplePodsInput & { readonly signal: AbortSignal },
): Promise<(SamplePods & { readonly of: string }) | undefined> {
  const { clusters, discovery } = ports;
  const reader: PodReader = { cluster: clusters.asActor(actor), metadata: clusters.tryAsActor(actor), discovery, signal };
  const to = environment.namespace;
  const here = await findSamplePods(reader, { type, from: to, to });
  if (here !== undefined) return { ...here, of: here.instance };
  const others = (await listEnvironments(ports, actor)).filter(({ namespace }) => namespace !== to).slice(0, MOST_ELSEWHERE);
  for (const { name, namespace } of others) {
    const there = await findSamplePods(reader, { type, from: namespace, to });
    if (there !== undefined) return { ...there, of: `${there.instance} in ${name}` };
  }
  return undefined;
}
