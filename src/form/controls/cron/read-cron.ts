import { Cron } from 'croner';
import cronstrue from 'cronstrue';

/** What a cron expression says, or a sentence that says why it says nothing. */
export type CronRead =
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
