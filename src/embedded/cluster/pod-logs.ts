import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../domain/core/errors.ts';
import { isObject, listAt, textAt } from '../../domain/core/read.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { POD } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ContainerLogRequest, ContainerLogs } from './kubelet.ts';

export interface PodLogsOptions {
  /** Where the output of local controllers lies: `controller-<namespace>.<deployment>.log`, in the format of `logLine`. */
  readonly folder: string;
  readonly cluster: Pick<Cluster, 'get'>;
}

/** What is read of a file's end; what was written before is left out. */
const MAX_TAIL_BYTES = 4 * 1024 * 1024;
const POLL_MS = 300;

/** A line of a container's log as a container runtime writes it (CRI logging format): `<RFC 3339> stdout F <text>`. */
export function logLine(text: string, time: Date): string {
  return `${time.toISOString()} stdout F ${text}\n`;
}

/**
 * The logs of containers: of a controller that runs as a local process what that process writes, of every other container, which is simulated, one line that
 * says so.
 */
export function podLogs({ folder, cluster }: PodLogsOptions): ContainerLogs {
  return async function* logs(request) {
    const { namespace, pod: name, container: wanted, signal } = request;
    const pod = await cluster.get({ ...POD, namespace, name }, { signal });
    const container = containersOf(pod).find((one) => textAt(one, 'name') === wanted);
    if (container === undefined) throw new AppError('NotFound', `container ${wanted} not found in pod ${name}_${namespace}`);
    const state = listAt(pod.status, 'containerStatuses').find((one) => textAt(one, 'name') === wanted);
    // As of a kubelet, the log of a container that waits to be started again is that of its last run.
    const started =
      ['running', 'terminated'].map((phase) => textAt(state, 'state', phase, 'startedAt')).find((time) => time !== undefined) ??
      textAt(state, 'lastState', 'terminated', 'startedAt');
    if (request.previous) throw new AppError('InvalidInput', `previous terminated container "${wanted}" in pod "${name}" not found`);
    if (started === undefined) throw new AppError('InvalidInput', `container "${wanted}" in pod "${name}" is waiting to start`);
    const file = await outputOf(folder, namespace, name);
    if (file === undefined) {
      const line = `The embedded cluster simulates this container: no program of the image ${textAt(container, 'image') ?? ''} runs.`;
      yield* shown([logLine(line, new Date(started)).trimEnd()], request);
      return;
    }
    yield* contentOf(join(folder, file), request);
  };
}

function containersOf({ spec }: KubeObject): readonly unknown[] {
  return ['initContainers', 'containers'].flatMap((list) => listAt(spec, list).filter((one) => isObject(one)));
}

/** The output of the local controller that a pod stands for: pods are named after their Deployment. */
async function outputOf(folder: string, namespace: string, pod: string): Promise<string | undefined> {
  const prefix = `controller-${namespace}.`;
  const files = (await readdir(folder)).filter((file) => file.startsWith(prefix) && file.endsWith('.log'));
  const fitting = files.filter((file) => pod.startsWith(`${file.slice(prefix.length, -'.log'.length)}-`));
  return fitting.toSorted((a, b) => b.length - a.length)[0];
}

async function* contentOf(path: string, request: ContainerLogRequest): AsyncGenerator<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const from = Math.max(0, size - MAX_TAIL_BYTES);
  const { lines, next } = await linesFrom(file, from);
  yield* shown(from === 0 ? lines : lines.slice(1), request);
  for (let position = next; request.follow && !request.signal.aborted;) {
    await delay(POLL_MS, undefined, { signal: request.signal }).catch(() => undefined);
    const more = await linesFrom(file, position);
    position = more.next;
    yield* shown(more.lines, { timestamps: request.timestamps });
  }
}

/** The whole lines from a position on, and where the next one begins. */
async function linesFrom(file: FileHandle, position: number): Promise<{ readonly lines: string[]; readonly next: number }> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.max(0, Math.min(size - position, MAX_TAIL_BYTES)));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
  const end = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1;
  const lines = end === 0 ? [] : buffer.toString('utf8', 0, end - 1).split('\n');
  return { lines, next: position + end };
}

/** Lines of the CRI format as a kubelet gives them. */
function* shown(
  lines: readonly string[],
  { timestamps, tailLines, since = 0, limitBytes }: Pick<ContainerLogRequest, 'timestamps' | 'tailLines' | 'since' | 'limitBytes'>,
): Generator<string> {
  const recent = since === 0 ? lines : lines.filter((line) => Date.parse(line.slice(0, line.indexOf(' '))) >= since);
  const last = tailLines === undefined ? recent : recent.slice(Math.max(0, recent.length - tailLines));
  const text = last.map((line) => `${timestamps ? line.replace(/ \w+ [FP] /, ' ') : line.replace(/^\S+ \w+ [FP] /, '')}\n`).join('');
  if (text !== '') yield limitBytes === undefined ? text : Buffer.from(text).subarray(0, limitBytes).toString('utf8');
}
