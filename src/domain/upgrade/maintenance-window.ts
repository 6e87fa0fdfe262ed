import { AppError } from '../core/errors.ts';
import type { WindowFields } from '../operator/kind/upgrade-fields.ts';

/** The days of a week as a window names them, in the order of `Date.getUTCDay`. */
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** When a release that runs may be changed: from a time of the clock on some days of the week, for a while. */
export interface MaintenanceWindow {
  /** The days on which it opens. */
  readonly days: readonly Weekday[];
  /** Minutes after midnight, by the clock of the time zone. */
  readonly start: number;
  /** Milliseconds that pass, whatever the clock does meanwhile. */
  readonly duration: number;
  /** A name of the IANA database, e.g. `Europe/Berlin`. */
  readonly timeZone: string;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A window as the spec has it, for the clock. The time zone is looked up when it is needed. */
export function parseMaintenanceWindow({ days, start, duration, timeZone }: WindowFields): MaintenanceWindow {
  const [hours = 0, minutes = 0] = start.split(':').map(Number);
  return { days: WEEKDAYS.filter((day) => days.length === 0 || days.includes(day)), start: hours * 60 + minutes, duration, timeZone };
}

/**
 * Whether the window is open. A start that the clock skips is taken as if it did not (02:30 becomes 03:30 that day); of one that comes twice the
 * first counts.
 *
 * @throws AppError `InvalidInput` for a time zone that nobody knows.
 */
export function isOpen(window: MaintenanceWindow, now: Date): boolean {
  return openings(window, now).some((start) => start <= now.getTime() && now.getTime() < start + window.duration);
}

/**
 * The first moment after now at which the window opens.
 *
 * @throws AppError `InvalidInput` for a time zone that nobody knows.
 */
export function nextOpening(window: MaintenanceWindow, now: Date): Date {
  const later = openings(window, now).filter((start) => start > now.getTime());
  return new Date(Math.min(...later));
}

/** `Mon, Tue 22:00 for 4h (Europe/Berlin)`; `every day` for all seven. */
export function windowSentence({ days, start, duration, timeZone }: MaintenanceWindow): string {
  const when = days.length === WEEKDAYS.length ? 'every day' : days.join(', ');
  const clock = [Math.floor(start / 60), start % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return `${when} at ${clock} for ${durationText(duration)} (${timeZone})`;
}

function durationText(milliseconds: number): string {
  const minutes = Math.round(milliseconds / MINUTE_MS);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours === 0 ? [] : [`${hours} h`]), ...(rest === 0 && hours > 0 ? [] : [`${rest} min`])].join(' ');
}

/** When it opens around now, as milliseconds since the epoch: from as long ago as it may still be open until a week and a day ahead. */
function openings(window: MaintenanceWindow, now: Date): number[] {
  const clock = clockOf(window.timeZone);
  const midnight = Math.floor(clock(now.getTime()) / DAY_MS) * DAY_MS;
  const back = Math.ceil(window.duration / DAY_MS) + 1;
  return Array.from({ length: back + 9 }, (_, index) => midnight + (index - back) * DAY_MS)
    .filter((day) => window.days.some((name) => name === WEEKDAYS[new Date(day).getUTCDay()]))
    .map((day) => instantOf(day + window.start * MINUTE_MS, clock));
}

/** What the clock on the wall shows at an instant, as milliseconds that read so in UTC. */
type Clock = (instant: number) => number;

function clockOf(timeZone: string): Clock {
  const format = formatOf(timeZone);
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...numeric, timeZone, hourCycle: 'h23', calendar: 'gregory' });
  } catch (error) {
    const message = `spec.upgrade.window.timeZone: ${JSON.stringify(timeZone)} is no time zone; write one such as Europe/Berlin or UTC`;
    throw new AppError('InvalidInput', message, { cause: error });
  }
}

/** The first instant at which the clock shows the time. What the clock skips is counted on from before the gap, as RFC 5545 has it. */
function instantOf(shown: number, clock: Clock): number {
  const offsetNear = (instant: number): number => clock(instant) - Math.floor(instant / 1000) * 1000;
  const [before, after] = [offsetNear(shown - DAY_MS), offsetNear(shown + DAY_MS)];
  const fitting = [shown - before, shown - after].filter((instant) => clock(instant) === shown);
  return fitting.length === 0 ? shown - before : Math.min(...fitting);
}
