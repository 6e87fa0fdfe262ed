import { Cron } from 'croner';
import cronstrue from 'cronstrue';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';
import { warned, type Advice } from './advice.ts';
import type { Control, StringNode } from './control.ts';
import { descriptionOf, fits, formatOf, wordsOfName, type FieldFacts } from './field-facts.ts';
import { textTraits, TYPED_TEXT } from './typed-text.ts';

/** A schedule as a cron expression. */
export interface CronNode extends StringNode {
  readonly kind: 'cron';
  /** Whether the schema itself asks for one; otherwise what is none is only warned of. */
  readonly strict: boolean;
  /** How many parts it has, where that is known: six with the seconds first. */
  readonly parts?: 5 | 6;
}

const NAME = /(^| )(schedule|crontab|cron|cron expression|cron spec)$/;
const OTHER_SCHEDULES = /\brrule\b|\boncalendar\b|\bcalendar event\b|\b(name|reference) of (the|a|an) |\bplacement\b/i;
const SAMPLES = ['0 2 * * *', '30 1 * * 1', '0 0 2 * * *', '@daily'];
const NEXT = 3;

export const cron: Control<CronNode> = {
  ...TYPED_TEXT,
  kind: 'cron',
  ownGrammar: true,
  detect: (field) => {
    const strict = formatOf(field.schema) === 'cron';
    if (!strict && !isCalledSchedule(field)) return undefined;
    const parts = partsOf(field.schema);
    return { ...textTraits(field), strict, ...(parts === undefined ? {} : { parts }) };
  },
  check: ({ strict }, value) => (strict ? readCron(value).fault : undefined),
  explain: ({ constraints: { pattern = '' } }, value) => {
    const read = readCron(value);
    if (read.fault !== undefined) return read.fault;
    const minutes = value.trim().split(/\s+/).slice(1).join(' ');
    return read.parts === 6 && matchesPattern(pattern, minutes) ? `Leave the seconds out: write ${minutes}` : undefined;
  },
  advise,
  hint: ({ help, parts }) => {
    if (/[\d*] [\d*]|@[a-z]{4}/.test(help.summary)) return '';
    return parts === 6 ? 'Six parts, seconds first, such as 0 0 2 * * * for 02:00 every day.' : 'Such as 0 2 * * * for 02:00 every day.';
  },
  takes: () => 'a schedule, such as 0 2 * * *',
  // When it happens next is looked up in the calendar.
  work: () => 10,
  view: () => ({ part: 'advised', width: 'medium', checkable: true }),
  examples: [
    {
      name: 'when',
      schema: { type: 'string', format: 'cron' },
      text: '0 2 * * *',
      value: '0 2 * * *',
      wrong: { text: '60 * * * *', says: 'This is no schedule: invalid value for minute: 60' },
    },
  ],
};

function isCalledSchedule(field: FieldFacts): boolean {
  const { schema } = field;
  if (formatOf(schema) !== '' || !NAME.test(wordsOfName(field))) return false;
  return !OTHER_SCHEDULES.test(descriptionOf(schema)) && fits(schema, SAMPLES, (text) => readCron(text).fault === undefined);
}

/** How many parts a schedule has, where its default or description says so: six with the seconds first, as robfig/cron offers it. */
function partsOf(schema: JsonObject): 5 | 6 | undefined {
  const description = descriptionOf(schema);
  const fallback = typeof schema['default'] === 'string' ? readCron(schema['default']) : undefined;
  if (fallback?.fault === undefined && fallback?.parts === 6) return 6;
  if (/\bseconds? (specifier|field)\b|\bsix\b.{0,20}\b(fields|parts)\b/i.test(description)) return 6;
  return /\bfive\b.{0,20}\b(fields|parts)\b|\bCronJobs?\b/i.test(description) ? 5 : undefined;
}

function advise({ parts }: CronNode, value: string, now: Date): Advice {
  const read = readCron(value);
  if (read.fault !== undefined) return warned(read.fault);
  const next = read.next(now, NEXT);
  const isNever = next.length === 0 && !value.includes('@every');
  const warning = isNever ? 'This does not come within the next nine years' : warningOn(value, read.parts, parts);
  return { says: read.words, next, warning };
}

/** Operators read schedules with different programs; what only some of them know is named. */
function warningOn(value: string, parts: 5 | 6, wanted: 5 | 6 | undefined): string {
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

/** What a cron expression says, or a sentence that says why it says nothing. */
type CronRead =
  | {
      readonly words: string;
      readonly next: (after: Date, count: number) => readonly Date[];
      readonly parts: 5 | 6;
      readonly fault?: undefined;
    }
  | { readonly fault: string };

const MAX_LENGTH = 200;

/** Nine years: between two leap years there can be eight. */
const FARTHEST_MS = 9 * 366 * 24 * 60 * 60 * 1000;
const ZONE = /^(?:CRON_TZ|TZ)=(\S+)\s+/;
const EVERY = /^@every\s+((?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)$/;

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** The largest value of each part, seconds first. */
const MAX_VALUES = [59, 59, 23, 31, 12, 6];
/**
 * Reads the expressions that operators take, in the dialect of github.com/robfig/cron, on which CronJobs of Kubernetes stand: five parts, or six
 * of which the first is seconds; names such as `@daily`; `@every 1h30m`; `CRON_TZ=Europe/Berlin` before it. Without a zone it is UTC.
 */
export function readCron(text: string): CronRead {
  const whole = text.trim();
  if (whole.length > MAX_LENGTH) return { fault: 'A schedule is not that long' };
  const zone = ZONE.exec(whole)?.[1];
  if (zone !== undefined && !isZone(zone)) return { fault: `There is no time zone ${zone}` };
  const schedule = whole.replace(ZONE, '');
  const every = EVERY.exec(schedule)?.[1];
  if (every !== undefined) return { words: `Every ${every}, from when it begins`, next: () => [], parts: 5 };
  return readParts(NICKNAMES[schedule.toLowerCase()] ?? schedule, zone);
}

function readParts(schedule: string, zone: string | undefined): CronRead {
  const parts = schedule.split(/\s+/);
  if (schedule.startsWith('@')) return { fault: `${schedule} is unknown; write one such as @daily, or parts such as 0 2 * * *` };
  if (parts.length !== 5 && parts.length !== 6) {
    return {
      fault: `A schedule has five parts, minute, hour, day, month and weekday, such as 0 2 * * *; there ${parts.length === 1 ? 'is 1' : `are ${parts.length}`}`,
    };
  }
  // A text with a colon would be read as a date.
  if (schedule.includes(':')) return { fault: 'This is no schedule: a part cannot have a colon' };
  // `?` is another way to write `*` in every part; in words it is only known for days.
  const six = (parts.length === 6 ? parts : ['0', ...parts]).map((part) => part.replaceAll('?', '*'));
  const pattern = six.map(asRange).join(' ');
  const options = { paused: true, timezone: zone ?? 'UTC', domAndDow: isBoth(six) };
  try {
    new Cron(pattern, options).stop();
    return {
      words: `${cronWords(six)}${zone === undefined ? '' : `, in the time of ${zone.replaceAll('_', ' ')}`}`,
      // What never comes would be looked for in every year to come.
      next: (after, count) => new Cron(pattern, { ...options, stopAt: new Date(after.getTime() + FARTHEST_MS) }).nextRuns(count, after),
      parts: parts.length,
    };
  } catch (error) {
    return { fault: sentenceOf(error) };
  }
}

/** `5/15` means from 5 on. */
function asRange(part: string, index: number): string {
  return part.replaceAll(/(^|,)(\d+)\/(?=\d)/g, (_all, before: string, from: string) => `${before}${from}-${MAX_VALUES[index]}/`);
}

/** Day and weekday both have to fit where one of them begins with a star, such as `*` with a step; otherwise either is enough. */
function isBoth([, , , day = '', , weekday = '']: readonly string[]): boolean {
  return day.startsWith('*') || weekday.startsWith('*');
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message.replace(/^CronPattern: /, '').slice(0, 200) : '';
  return `This is no schedule: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** The six parts of a cron expression that can be read, seconds first, in words: `At 02:30, Monday through Friday`. */
function cronWords(parts: readonly string[]): string {
  const expression = parts.map((part) => (part.split(',').includes('*') ? '*' : part)).join(' ');
  const words = cronstrue.toString(expression, {
    use24HourTimeFormat: true,
    logicalAndDayFields: isBoth(parts),
    throwExceptionOnParseError: false,
  });
  const isDaily = /^At [\d:, and]+$/.test(words);
  return `${words}${isDaily ? ' every day' : ''}`;
}
