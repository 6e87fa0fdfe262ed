import { duration, object, optional, time, type ValueOf } from '../kind/field.ts';

/** `spec.expires`. */
export const expiresField = object(
  {
    at: optional(time({ description: 'When the environment expires. Exclusive with after.' })),
    after: optional(
      duration({
        name: 'after',
        from: '1m',
        to: '8760h',
        description: 'How long after its creation the environment expires, for example 72h. Exclusive with at.',
      }),
    ),
    warnBefore: duration({
      name: 'warnBefore',
      from: '0s',
      to: '8760h',
      default: '24h',
      description: 'How long before the expiry a condition and an event warn of it.',
    }),
    gracePeriod: duration({
      name: 'gracePeriod',
      from: '0s',
      to: '8760h',
      default: '24h',
      description: 'How long after the expiry everything stays as it is, before Chandlery deletes the environment.',
    }),
  },
  {
    description:
      'When the environment ends by itself. Chandlery deletes it then, as reclaim says. For environments of a branch or a trial.',
    rules: [{ rule: 'has(self.at) != has(self.after)', message: 'set either at or after' }],
  },
);

export type Expires = ValueOf<typeof expiresField>;

/** When an Environment ends. All in milliseconds since 1970. */
export interface Expiry {
  readonly warnAt: number;
  readonly expiresAt: number;
  readonly deleteAt: number;
}

/** Where an Environment is on its way to the end. */
export type ExpiryPhase = 'NotDue' | 'ExpiresSoon' | 'Expired' | 'Due';

/** @param created of the Environment, RFC 3339. @returns undefined where the end is not known. */
export function expiryOf({ at, after = 0, warnBefore, gracePeriod }: Expires, created: string): Expiry | undefined {
  const expiresAt = at === undefined ? Date.parse(created) + after : Date.parse(at);
  if (Number.isNaN(expiresAt)) return undefined;
  return { warnAt: expiresAt - warnBefore, expiresAt, deleteAt: expiresAt + gracePeriod };
}

export function expiryPhase({ warnAt, expiresAt, deleteAt }: Expiry, now: number): ExpiryPhase {
  if (now >= deleteAt) return 'Due';
  if (now >= expiresAt) return 'Expired';
  return now >= warnAt ? 'ExpiresSoon' : 'NotDue';
}

/** When the next phase begins; undefined after the last. */
export function nextPhaseAt({ warnAt, expiresAt, deleteAt }: Expiry, now: number): number | undefined {
  return [warnAt, expiresAt, deleteAt].find((time) => time > now);
}
