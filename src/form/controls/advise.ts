import type { Json } from '../../domain/kubernetes/resource.ts';
import { readCron } from './cron/read-cron.ts';
import type { ScalarNode, SpecialTextNode } from '../model/form-node.ts';
import { hasScheme, isHost } from './special-text.ts';

/** What is understood of a value, and what looks wrong with it. A warning keeps nobody from sending it: only the schema does. */
export interface Advice {
  /** What it means, in words; empty where it says so itself. */
  readonly says: string;
  /** When it happens next, in order. */
  readonly next: readonly Date[];
  /** A sentence; empty where nothing looks wrong. */
  readonly warning: string;
}

const NONE: Advice = { says: '', next: [], warning: '' };
const NEXT = 3;
const PLACEHOLDER = /\{\{|\$[({A-Z]|<[^>]*>|%[({]/;
const PORT_NAME = /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/;

/** What a person may want to know of the value that they typed. Placeholders such as `{{ host }}` are left alone. */
export function advise(node: ScalarNode, value: Json, now: Date): Advice {
  if (typeof value !== 'string' || value === '' || value.includes('\n')) return NONE;
  if (node.kind === 'cron') return adviseCron(node, value, now);
  const [isUsual, warning] = USUAL[node.kind] ?? [];
  return isUsual === undefined || warning === undefined || isUsual(value) || PLACEHOLDER.test(value) ? NONE : warned(warning(value));
}

type Usual = readonly [isUsual: (text: string) => boolean, warning: (text: string) => string];

const USUAL: Readonly<Partial<Record<ScalarNode['kind'], Usual>>> = {
  host: [isHost, hostWarning],
  url: [(text) => hasScheme(text) || text.startsWith('/'), () => 'The URL has no scheme; most programs require one, such as https://'],
  port: [(text) => PORT_NAME.test(text), () => 'This is no number and no name of a port, such as http'],
  percentage: [(text) => /^\d+(\.\d+)?%$/.test(text), () => 'This is no number and no share, such as 25%'],
};

function hostWarning(value: string): string {
  return value.includes('://') || value.includes('/')
    ? 'A host has no scheme and no path: write db.example.com rather than https://db.example.com/path'
    : 'This looks like no host name and no IP address, such as db.example.com or 10.0.0.1';
}

function adviseCron({ parts }: SpecialTextNode, value: string, now: Date): Advice {
  const read = readCron(value);
  if (read.fault !== undefined) return warned(read.fault);
  const next = read.next(now, NEXT);
  const isNever = next.length === 0 && !value.includes('@every');
  const warning = isNever ? 'This does not come within the next nine years' : cronWarning(value, read.parts, parts);
  return { says: read.words, next, warning };
}

/** Operators read schedules with different programs; what only some of them know is named. */
function cronWarning(value: string, parts: 5 | 6, wanted: 5 | 6 | undefined): string {
  const isMacro = /@[a-z]+/i.test(value);
  if (wanted === 6 && parts === 5 && !isMacro) return `This app reads six parts, the first of them seconds: write 0 ${value}`;
  if (wanted !== 6 && parts === 6) return 'With six parts the first counts seconds; many apps only read five, the first of them minutes';
  const [, , day = '', , weekday = ''] = parts === 6 ? fieldsOf(value).slice(1) : fieldsOf(value);
  const isRare = !isMacro && (/[LW#]/i.test(day) || /#|\dL|7/i.test(weekday));
  return isRare ? 'Not every app knows L, W, # and the weekday 7' : '';
}

function fieldsOf(value: string): string[] {
  return value
    .trim()
    .replace(/^\w+=\S+\s+/, '')
    .split(/\s+/);
}

function warned(warning: string): Advice {
  return { ...NONE, warning };
}
