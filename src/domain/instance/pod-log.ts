import { compareTexts } from '../core/compare-texts.ts';
import { stripVTControlCharacters } from 'node:util';
import { escapeControls } from '../audit/escape-controls.ts';
import { isObject, listAt, numberAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** A pod whose logs can be read. */
export interface LogPod {
  readonly name: string;
  readonly phase: string;
  /** Init containers first, in the order of the spec. */
  readonly containers: readonly LogContainer[];
}

export interface LogContainer {
  readonly name: string;
  readonly isInit: boolean;
  readonly restarts: number;
}

/** A line that a container wrote. */
export interface LogLine {
  readonly pod: string;
  readonly container: string;
  /** RFC 3339; empty when the container runtime gave none. */
  readonly time: string;
  /** Without control sequences of terminals; other control characters are escaped. */
  readonly text: string;
}

/** Characters of a line that are shown. */
const MAX_LINE_LENGTH = 4_000;

/** @param pod of the api-server. */
export function logPodOf({ metadata, spec, status }: KubeObject): LogPod {
  const restartsOf = (list: string, name: string): number =>
    numberAt(
      listAt(status, list).find((one) => textAt(one, 'name') === name),
      'restartCount',
    ) ?? 0;
  const read = (list: string, statuses: string): LogContainer[] =>
    listAt(spec, list)
      .filter((one) => isObject(one))
      .map((one) => textAt(one, 'name') ?? '')
      .map((name) => ({ name, isInit: list === 'initContainers', restarts: restartsOf(statuses, name) }));
  return {
    name: metadata.name,
    phase: textAt(status, 'phase') ?? '',
    containers: [...read('initContainers', 'initContainerStatuses'), ...read('containers', 'containerStatuses')],
  };
}

/** The lines of a log whose lines begin with their time, as the kubelet gives it. */
export function readLogLines(text: string, { pod, container }: Pick<LogLine, 'pod' | 'container'>): LogLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, time = '', rest = line] = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?(.*)$/s.exec(line) ?? [];
      return { pod, container, time, text: plainText(rest) };
    });
}

function plainText(text: string): string {
  const plain = escapeControls(stripVTControlCharacters(text.slice(0, MAX_LINE_LENGTH)).replaceAll('\t', '    ').trimEnd());
  return text.length > MAX_LINE_LENGTH ? `${plain}…` : plain;
}

/** Lines of several containers in the order of their times. */
export function mergeLogs(logs: readonly (readonly LogLine[])[]): LogLine[] {
  // Nanoseconds count, so that times are compared as texts; those of UTC are of one form, but for the length of the fraction.
  return logs.flat().toSorted((a, b) => compareTexts(a.time.replace(/Z$/, ''), b.time.replace(/Z$/, '')));
}
