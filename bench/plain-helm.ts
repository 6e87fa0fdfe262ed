import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface PlainHelmInput {
  readonly program: string;
  readonly kubeconfigPath: string;
  readonly archive: string;
  readonly namespace: string;
  /** For helm's own caches. */
  readonly folder: string;
  readonly count: number;
  readonly atOnce: number;
}

export interface PlainRun {
  readonly seconds: number;
  /** Of all helm processes. */
  readonly cpuSeconds: number;
}

/** `helm upgrade --install` from a shell: a loop, or xargs for several at once. */
export async function plainHelm({ program, archive, namespace, count, atOnce, ...input }: PlainHelmInput): Promise<PlainRun> {
  const command = `'${program}' upgrade --install release-{} '${archive}' --namespace ${namespace} > /dev/null`;
  const loop = `i=1; while [ $i -le ${count} ]; do ${command.replace('{}', '$i')} || exit 1; i=$((i+1)); done; times`;
  const parallel = `seq ${count} | xargs -P ${atOnce} -I {} ${command.replace(' > /dev/null', '')} > /dev/null || exit 1; times`;
  const env = { PATH: process.env['PATH'] ?? '', HOME: input.folder, KUBECONFIG: input.kubeconfigPath };
  const began = performance.now();
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', atOnce === 1 ? loop : parallel], { env });
  const seconds = (performance.now() - began) / 1_000;
  return { seconds, cpuSeconds: childSeconds(stdout) };
}

/** What the children of a shell cost, out of what its `times` writes: `0m0.01s 0m0.02s` for itself, and then for them. */
export function childSeconds(times: string): number {
  const [last = ''] = times.trim().split('\n').slice(-1);
  return [...last.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}
