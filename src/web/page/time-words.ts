/** How long ago, in one unit: `12 s`, `5 min`, `3 h`, `40 d`. A time to come reads `0 s`, as clocks differ a little. */
export function age(when: string, now: number): string {
  const seconds = ageInSeconds(when, now);
  if (Number.isNaN(seconds)) return 'unknown';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** `in 40 d`, `in 5 min`; `now` when the time has come. */
export function timeLeft(when: string, now: number): string {
  const left = age(new Date(now).toISOString(), Date.parse(when));
  return left === '0 s' || left === 'unknown' ? 'now' : `in ${left}`;
}

/** Whole seconds; not a number when the text is no time. */
export function ageInSeconds(when: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(when)) / 1000));
}

/** Made once: making one costs a hundred times as much as using it. */
const DATE = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** `1 Jan 2026, 00:00 UTC`; the text itself when it is no time. */
export function dateText(when: string): string {
  const time = new Date(when);
  return Number.isNaN(time.getTime()) ? when : `${DATE.format(time)} UTC`;
}
