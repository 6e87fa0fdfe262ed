import { excerpt } from './cause.ts';

type Reading = readonly [pattern: RegExp, words: (groups: Readonly<Record<string, string>>) => string];

/** How the api-server words that it does not create an object; the first that fits counts. */
const READINGS: readonly Reading[] = [
  [
    /exceeded quota: (?<quota>[^,]+), requested: (?<asked>.+), used: (?<used>.+), limited: (?<limit>.+)$/s,
    ({ quota, asked, used, limit }) => `ResourceQuota ${quota} is used up: requested ${asked}, used ${used}, limited to ${limit}`,
  ],
  [/failed quota: (?<quota>[^:]+): must specify (?<names>.+)$/s, ({ quota, names }) => `ResourceQuota ${quota} requires ${list(names)}`],
  [/violates PodSecurity "(?<level>[^":]+)[^"]*": (?<why>.+)$/s, ({ level, why }) => `Pod Security level ${level} forbids ${why}`],
  [
    /is forbidden: \[?(?<why>(?:maximum|minimum) [^[\]]+ usage per [^[\]]+?)(?:\]|$)/s,
    ({ why }) => `a LimitRange of the namespace rejects it: ${why}`,
  ],
  [/is forbidden: (?<why>.+ max limit to request ratio per .+)$/s, ({ why }) => `a LimitRange of the namespace rejects it: ${why}`],
  [/service account \S+: serviceaccount "(?<name>[^"]+)" not found/, ({ name }) => `ServiceAccount ${name} does not exist`],
  [
    /admission webhook "(?<name>[^"]+)" denied the request:? ?(?<why>.*)$/s,
    ({ name, why }) => `the admission webhook ${name} denies it${why === '' ? '' : `: ${why}`}`,
  ],
  [/failed calling webhook "(?<name>[^"]+)": (?<why>.+)$/s, ({ name, why }) => `the admission webhook ${name} ${silence(why ?? '')}`],
  [
    /ValidatingAdmissionPolicy '(?<name>[^']+)' (?:with binding '[^']+' )?denied request: (?<why>.+)$/s,
    ({ name, why }) => `the admission policy ${name} denies it: ${why}`,
  ],
  [/is forbidden: (?<why>.+)$/s, ({ why }) => why ?? ''],
];

/** Why the api-server does not create an object, in plain words. */
export function rejection(message: string): string {
  const bounded = message.slice(0, LONGEST);
  for (const [pattern, words] of READINGS) {
    const groups = pattern.exec(bounded)?.groups;
    if (groups !== undefined) return excerpt(words(groups));
  }
  return excerpt(bounded.replace(/^.*? failed error: /s, '').replace(/^Error creating: /, ''));
}

const LONGEST = 4_000;

/** `limits.cpu for: main; limits.memory for: main` */
function list(names = ''): string {
  return names
    .split(/[;,]/)
    .map((name) => name.replace(/ for:.*$/s, '').trim())
    .filter((name, index, all) => name !== '' && all.indexOf(name) === index)
    .join(', ');
}

function silence(why: string): string {
  if (/no endpoints available for service|service "[^"]+" not found/.test(why)) return 'has no running server';
  if (/x509|certificate/.test(why)) return 'has a certificate that the api-server does not trust';
  return /connection refused|deadline exceeded|timeout|no such host|no route to host|EOF|connection reset/.test(why)
    ? 'does not answer'
    : `cannot be called: ${why}`;
}
