import { isObject, listAt, numberAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** A container of a Pod and what its kubelet reports of it. */
export interface Container {
  readonly name: string;
  /** `container main`, `init container migrate`. */
  readonly title: string;
  readonly image: string;
  readonly spec: unknown;
  readonly status: unknown;
  readonly waiting: string;
  readonly waitingMessage: string;
  /** How its last run ended. */
  readonly ended?: Ended;
  readonly isRunning: boolean;
  readonly isReady: boolean;
}

interface Ended {
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly finishedAt: string | undefined;
}

/** The containers of a Pod, init containers first. */
export function containersOf({ spec, status }: KubeObject): Container[] {
  const read = (list: string, statuses: string, title: string): Container[] =>
    listAt(spec, list)
      .filter((one) => isObject(one))
      .map((one) => {
        const name = textAt(one, 'name') ?? '';
        const found = listAt(status, statuses).find((item) => textAt(item, 'name') === name);
        return { ...stateOf(found), name, title: `${title} ${name}`, image: textAt(one, 'image') ?? '', spec: one };
      });
  return [...read('initContainers', 'initContainerStatuses', 'init container'), ...read('containers', 'containerStatuses', 'container')];
}

function stateOf(status: unknown): Omit<Container, 'name' | 'title' | 'image' | 'spec'> {
  const ended = endedOf(status, 'state') ?? endedOf(status, 'lastState');
  return {
    status,
    waiting: textAt(status, 'state', 'waiting', 'reason') ?? '',
    waitingMessage: textAt(status, 'state', 'waiting', 'message') ?? '',
    ...(ended === undefined ? {} : { ended }),
    isRunning: textAt(status, 'state', 'running', 'startedAt') !== undefined,
    isReady: isObject(status) && status['ready'] === true,
  };
}

function endedOf(status: unknown, state: 'state' | 'lastState'): Ended | undefined {
  const exitCode = numberAt(status, state, 'terminated', 'exitCode');
  if (exitCode === undefined) return undefined;
  const text = (member: string): string | undefined => textAt(status, state, 'terminated', member);
  return { exitCode, reason: text('reason') ?? '', message: text('message') ?? '', finishedAt: text('finishedAt') };
}

/** When the kubelet took the Pod up. */
export function startedAt({ status, metadata }: KubeObject): string | undefined {
  return textAt(status, 'startTime') ?? metadata.creationTimestamp;
}

/** `configmap` as kubelets write it: `ConfigMap`. */
export function configKind(word: string): string {
  return word.toLowerCase() === 'configmap' ? 'ConfigMap' : 'Secret';
}
