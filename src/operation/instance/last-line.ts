import { isAppError } from '../../domain/core/errors.ts';
import { redact } from '../../domain/core/secret.ts';
import { readLogLines } from '../../domain/instance/pod-log.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { POD } from '../../domain/kubernetes/resource-types.ts';
import type { ResourceTree } from '../../domain/tree/tree.ts';

/** A page does not wait for a node that is slow to answer. */
const PATIENCE_MS = 3_000;
const LINES = 20;
const LARGEST_LOG = 64 * 1024;
/** Characters of the line in the sentence; the log has the rest. */
const LONGEST_QUOTE = 200;

interface Reading {
  readonly namespace: string;
  /** Texts that are masked. */
  readonly secrets: readonly string[];
}

/** The tree with the last line of the container that crashed, where the actor may read it: one call, and only when a container is the cause. */
export async function withLastLine(cluster: Pick<Cluster, 'logs'>, tree: ResourceTree, reading: Reading): Promise<ResourceTree> {
  const { cause, health } = tree;
  const log = cause?.container === undefined ? undefined : await lastLine(cluster, cause.container, reading);
  if (cause === undefined || log === undefined) return tree;
  const quote = log.text.length <= LONGEST_QUOTE ? log.text : `${log.text.slice(0, LONGEST_QUOTE)}…`;
  // A termination message, which the sentence has already, is the container's own word.
  const message = / code \d+$/.test(cause.message) ? `${cause.message}: ${quote}` : cause.message;
  return { ...tree, cause: { ...cause, message, log }, health: health.message === cause.message ? { ...health, message } : health };
}

async function lastLine(
  cluster: Pick<Cluster, 'logs'>,
  { pod, name, previous }: NonNullable<NonNullable<ResourceTree['cause']>['container']>,
  { namespace, secrets }: Reading,
): Promise<{ readonly time: string; readonly text: string } | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const options = { container: name, tailLines: LINES, limitBytes: LARGEST_LOG, signal, ...(previous ? { previous } : {}) };
  try {
    const text = await cluster.logs({ ...POD, namespace, name: pod }, options);
    const last = readLogLines(text, { pod, container: name }).findLast((line) => line.text.trim() !== '');
    return last === undefined ? undefined : { time: last.time, text: redact(last.text.trim(), secrets) };
  } catch (error) {
    if (!isAppError(error) && !signal.aborted) throw error;
    return undefined;
  }
}
