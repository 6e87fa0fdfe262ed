import { Cron } from 'croner';

/** What a cron expression says, or a sentence that says why it says nothing. */
export type CronRead =
  | {
      readonly words: string;
      readonly next: (after: Date, count: number) => readonly Date[];
      readonly parts: 5 | 6;
      readonly fault?: undefined;
    }
  | { readonly fault: string };

const LONGEST = 200;

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
const LARGEST = [59, 59, 23, 31, 12, 6];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MOST_TIMES = 6;

/**
 * Reads the expressions that operators take, in the dialect of github.com/robfig/cron, on which CronJobs of Kubernetes stand: five parts, or six
 * of which the first is seconds; names such as `@daily`; `@every 1h30m`; `CRON_TZ=Europe/Berlin` before it. Without a zone it is UTC.
 */
export function readCron(text: string): CronRead {
  const whole = text.trim();
  if (whole.length > LONGEST) return { fault: 'A schedule is not that long' };
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
  const six = parts.length === 6 ? parts : ['0', ...parts];
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
  return part.replaceAll(/(^|,)(\d+)\/(?=\d)/g, (_all, before: string, from: string) => `${before}${from}-${LARGEST[index]}/`);
}

/** Day and weekday both have to fit where one of them begins with a star, such as `*` with a step; otherwise either is enough. */
function isBoth([, , , day = '', , weekday = '']: readonly string[]): boolean {
  return /^[*?]/.test(day) || /^[*?]/.test(weekday);
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

/** The six parts of a cron expression that can be read, seconds first, in words: `At 02:30, Monday to Friday`. */
function cronWords(parts: readonly string[]): string {
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  const time = timeWords({ second, minute, hour });
  const dates = [dayWords(day, weekday), isAny(month) ? '' : `in ${listed(month, monthName)}`].filter((words) => words !== '');
  const whenever = dates.length === 0 && time.startsWith('At ') && !time.includes('every') ? ' every day' : '';
  return [`${time}${whenever}`, ...dates].join(', ');
}

function timeWords({ second, minute, hour }: { readonly second: string; readonly minute: string; readonly hour: string }): string {
  if (!isNumber(second)) return secondWords(second, minute, hour);
  const times = clockTimes(minute, hour, second);
  if (times !== undefined) return `At ${joined(times)}`;
  const seconds = Number(second) === 0 ? '' : `, ${Number(second)} seconds past`;
  if (isAny(minute)) return `Every minute${seconds}${hoursBeside(hour)}`;
  const step = stepOf(minute);
  if (step !== undefined) return `Every ${step} minutes${seconds}${hoursBeside(hour)}`;
  const hours = stepOf(hour);
  if (isNumber(minute) && hours !== undefined) return `Every ${hours} hours${minutesPast(minute)}${seconds}`;
  if (isNumber(minute) && isAny(hour)) return `Every hour${minutesPast(minute)}${seconds}`;
  const [, from, every] = /^(\d+)\/(\d+)$/.exec(minute) ?? [];
  if (every !== undefined)
    return `Every ${every} minutes from minute ${from} on${seconds}${isAny(hour) ? ' of every hour' : hoursBeside(hour)}`;
  return `At minute ${listed(minute)}${seconds}${isAny(hour) ? ' of every hour' : hoursBeside(hour)}`;
}

function secondWords(second: string, minute: string, hour: string): string {
  const step = stepOf(second);
  const seconds = isAny(second) ? 'Every second' : step === undefined ? `At second ${listed(second)}` : `Every ${step} seconds`;
  return `${seconds}${isAny(minute) ? '' : ` of minute ${listed(minute)}`}${hoursBeside(hour)}`;
}

function minutesPast(minute: string): string {
  return Number(minute) === 0 ? '' : `, ${Number(minute)} ${Number(minute) === 1 ? 'minute' : 'minutes'} past`;
}

function hoursBeside(hour: string): string {
  if (isAny(hour)) return '';
  const span = /^(\d+)-(\d+)$/.exec(hour);
  if (span !== null) return `, from ${clock(span[1] ?? '', '0')} to ${clock(span[2] ?? '', '59')}`;
  const step = stepOf(hour);
  return step === undefined ? `, in hour ${listed(hour)}` : `, in every ${ordinal(step)} hour`;
}

/** Times of the day where there are a few of them. */
function clockTimes(minute: string, hour: string, second: string): string[] | undefined {
  const hours = numbersIn(hour);
  const minutes = numbersIn(minute);
  if (hours === undefined || minutes === undefined || hours.length * minutes.length > MOST_TIMES) return undefined;
  const end = Number(second) === 0 ? '' : `:${second.padStart(2, '0')}`;
  return hours.flatMap((one) => minutes.map((other) => `${clock(one, other)}${end}`)).sort();
}

function clock(hour: string, minute: string): string {
  return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

/** Of two, either is enough, unless one begins with a star. */
function dayWords(day: string, weekday: string): string {
  const days = isAny(day) ? '' : dayOfMonth(day);
  const weekdays = isAny(weekday) ? '' : weekdayWords(weekday);
  if (days === '' || weekdays === '') return days || weekdays;
  const isBoth = /^[*?]/.test(day) || /^[*?]/.test(weekday);
  return isBoth ? `${days} if it is ${weekdays.replace(/^on /, '')}` : `${days} and ${weekdays}`;
}

function dayOfMonth(day: string): string {
  if (day.toUpperCase() === 'L') return 'on the last day of the month';
  const step = stepOf(day);
  return step === undefined ? `on day ${listed(day)} of the month` : `on every ${ordinal(step)} day of the month`;
}

function weekdayWords(weekday: string): string {
  const step = stepOf(weekday);
  if (step !== undefined) return `on every ${ordinal(step)} day of the week`;
  const nth = /^([0-7A-Za-z]+)#([1-5])$/.exec(weekday);
  if (nth !== null) return `on the ${ordinal(Number(nth[2]))} ${weekdayName(nth[1] ?? '')} of the month`;
  return `on ${listed(weekday, weekdayName)}`;
}

function isAny(part: string): boolean {
  return part === '*' || part === '?' || part === '*/1';
}

function isNumber(part: string): boolean {
  return /^\d+$/.test(part);
}

function stepOf(part: string): number | undefined {
  const step = /^\*\/(\d+)$/.exec(part)?.[1];
  return step === undefined ? undefined : Number(step);
}

function numbersIn(part: string): string[] | undefined {
  const numbers = part.split(',');
  return numbers.every(isNumber) ? numbers : undefined;
}

/** `1,3-5` as `1 and 3 to 5`. */
function listed(part: string, nameOf: (value: string) => string = (value) => value): string {
  return joined(part.split(',').map((one) => spanWords(one, nameOf)));
}

function spanWords(part: string, nameOf: (value: string) => string): string {
  const each = stepOf(part);
  if (each !== undefined) return `every ${ordinal(each)}`;
  const [, from = '', to, step] = /^([^-/]+)(?:-([^/]+))?(?:\/(\d+))?$/.exec(part) ?? [];
  if (from === '') return part;
  const span = to === undefined ? nameOf(from) : `${nameOf(from)} to ${nameOf(to)}`;
  if (step === undefined) return span;
  return `every ${ordinal(Number(step))} from ${to === undefined ? `${nameOf(from)} on` : span}`;
}

function monthName(value: string): string {
  const index = isNumber(value) ? Number(value) - 1 : MONTHS.findIndex((name) => name.slice(0, 3).toLowerCase() === value.toLowerCase());
  return MONTHS[index] ?? value;
}

function weekdayName(value: string): string {
  const index = isNumber(value) ? Number(value) : WEEKDAYS.findIndex((name) => name.slice(0, 3).toLowerCase() === value.toLowerCase());
  return WEEKDAYS[index] ?? value;
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function ordinal(count: number): string {
  const last = count % 100 > 10 && count % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${last}`;
}
