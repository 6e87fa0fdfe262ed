import type { JsonObject } from '../../../domain/kubernetes/resource.ts';
import { matchesPattern } from '../../../schema/matches-pattern.ts';
import { warned, type Advice } from '../advice.ts';
import type { Control, StringNode } from '../control.ts';
import { descriptionOf, fits, formatOf, wordsOfName, type FieldFacts } from '../field-facts.ts';
import { textTraits, TYPED_TEXT } from '../typed-text.ts';
import { readCron } from './read-cron.ts';

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
