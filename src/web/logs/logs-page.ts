import type { LogLine, LogPod } from '../../domain/instance/pod-log.ts';
import { MAX_LINES, type LogQuery, type LogView } from '../../operation/instance/show-logs.ts';

/** What an address of the log page asks for. */
export interface LogSearch extends LogQuery {
  /** New lines come by themselves. */
  readonly follow: boolean;
}

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly selected: boolean;
}

/** What changes while somebody follows: a view of `logs/lines`. */
export interface LogLive {
  readonly lines: readonly { readonly time: string; readonly clock: string; readonly source: string; readonly text: string }[];
  readonly notices: LogView['notices'];
  readonly more: number;
  /** Why there are no lines. */
  readonly empty: string;
}

export interface LogPage {
  readonly name: string;
  /** `this instance` */
  readonly subject: string;
  /** Those of the page that it belongs to; empty when it is no tab. */
  readonly tabs: LogSubject['tabs'];
  readonly action: string;
  readonly pods: readonly Choice[];
  readonly containers: readonly Choice[];
  readonly amounts: readonly Choice[];
  readonly previous: boolean;
  readonly follow: boolean;
  readonly search: string;
  readonly live: LogLive;
  readonly streamHref: string;
  readonly goneHref: string;
  /** The same with new lines, or without. */
  readonly followHref: string;
  readonly refreshHref: string;
  readonly downloadHref: string;
  readonly commands: string;
}

const AMOUNTS = [100, 200, 500, 1000, MAX_LINES];
const DEFAULT_AMOUNT = 200;
/** More lines would have to be read and sent again every two seconds. */
const MAX_FOLLOWED_LINES = 500;
const MAX_WORD_LENGTH = 200;
const MAX_NAME_LENGTH = 253;

/** The query in an address; what is no such value counts as none. */
export function parseLogSearch(parameters: URLSearchParams): LogSearch {
  const word = (name: string, most: number): string => (parameters.get(name) ?? '').trim().slice(0, most);
  const lines = AMOUNTS.find((amount) => String(amount) === parameters.get('lines')) ?? DEFAULT_AMOUNT;
  const follow = parameters.get('follow') === 'on';
  return {
    pod: word('pod', MAX_NAME_LENGTH),
    container: word('container', MAX_NAME_LENGTH),
    search: word('search', MAX_WORD_LENGTH),
    previous: parameters.get('previous') === 'on',
    lines: follow ? Math.min(lines, MAX_FOLLOWED_LINES) : lines,
    follow,
  };
}

/** Whose logs a page shows. */
export interface LogSubject {
  readonly name: string;
  /** `this instance` */
  readonly subject: string;
  /** The address of its page. */
  readonly path: string;
  /** A view of `parts/tabs`; may be empty. */
  readonly tabs: readonly { readonly label: string; readonly href: string; readonly current: boolean }[];
}

export function logPage({ name, subject, path, tabs }: LogSubject, search: LogSearch, view: LogView): LogPage {
  const action = `${path}/logs`;
  const { pod, container, lines, previous, follow } = search;
  const names = [...new Set(view.pods.flatMap(({ containers }) => containers.map((one) => one.name)))];
  return {
    name,
    subject,
    tabs,
    action,
    pods: [choice('', 'All pods', pod), ...view.pods.map((one) => choice(one.name, labelOf(one), pod))],
    containers: [choice('', 'All containers', container), ...names.map((name) => choice(name, name, container))],
    amounts: AMOUNTS.map((amount) => choice(String(amount), `Last ${amount} lines`, String(lines))),
    previous,
    follow,
    search: search.search,
    live: logLive(search, view),
    streamHref: `${action}/stream${queryOf(search)}`,
    goneHref: path,
    followHref: `${action}${queryOf({ ...search, follow: !follow })}`,
    refreshHref: `${action}${queryOf(search)}`,
    downloadHref: `${action}/download${queryOf({ ...search, follow: false })}`,
    commands: commandsOf(search, view),
  };
}

export function logLive({ search }: LogSearch, { pods, lines, notices, more }: LogView): LogLive {
  const sources = new Set(lines.map(sourceOf));
  return {
    lines: lines.map((line) => ({
      time: line.time,
      clock: line.time.slice(11, 19),
      source: sources.size > 1 ? sourceOf(line) : '',
      text: line.text,
    })),
    notices,
    more,
    empty: notices.length > 0 && lines.length === 0 && search === '' ? 'None of these logs can be read now.' : emptyReason(pods, search),
  };
}

/** The lines as a file. */
export function logText({ lines }: LogView): string {
  return lines.map((line) => `${line.time} ${sourceOf(line)} ${line.text}\n`).join('');
}

function emptyReason(pods: readonly LogPod[], search: string): string {
  if (pods.length === 0) return 'There are no pods yet.';
  return search === '' ? 'These containers have written nothing yet.' : `None of the lines read contains “${search}”.`;
}

function sourceOf({ pod, container }: LogLine): string {
  return `${pod} ${container}`;
}

function choice(value: string, label: string, current: string): Choice {
  return { value, label, selected: value === current };
}

function labelOf({ name, phase, containers }: LogPod): string {
  const restarts = containers.reduce((sum, one) => sum + one.restarts, 0);
  const facts = [...(phase === 'Running' ? [] : [phase]), ...(restarts === 0 ? [] : [`${restarts} restarts`])];
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
}

function queryOf({ pod, container, search, previous, lines, follow }: LogSearch): string {
  const pairs = [
    ['pod', pod],
    ['container', container],
    ['search', search],
    ['previous', previous ? 'on' : ''],
    ['lines', lines === DEFAULT_AMOUNT ? '' : String(lines)],
    ['follow', follow ? 'on' : ''],
  ].filter(([, value]) => value !== '') as [string, string][];
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** A line for each pod, as kubectl has no name for all pods of an instance. */
function commandsOf({ pod, container, lines, previous, follow }: LogSearch, { namespace, pods }: LogView): string {
  const chosen = pods.filter(({ name }) => pod === '' || name === pod);
  const options = [
    container === '' ? '--all-containers' : `--container ${container}`,
    `--tail ${lines}`,
    '--timestamps',
    ...(previous ? ['--previous'] : []),
    ...(follow ? ['--follow'] : []),
  ].join(' ');
  return chosen.map(({ name }) => `kubectl logs ${name} --namespace ${namespace} ${options}`).join('\n');
}
