/** The health words of design section 2, from best to worst. */
export const HEALTH_STATUSES = ['Healthy', 'Suspended', 'Progressing', 'Unknown', 'Missing', 'Degraded'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

/** The health of one object, with a sentence about why. */
export interface Health {
  readonly status: HealthStatus;
  readonly message: string;
  /** Works as far as Kubernetes is concerned, and has no address, which some clusters never give. */
  readonly lacks?: 'Address';
}

/** What can be waited for although nothing depends on it. */
export const AWAITABLE = ['Address'] as const;
export type Awaitable = (typeof AWAITABLE)[number];

/** The health of an object where what it lacks is waited for. */
export function awaitedHealth(health: Health, waitFor: readonly Awaitable[]): Health {
  return health.status === 'Healthy' && health.lacks !== undefined && waitFor.includes(health.lacks)
    ? { ...health, status: 'Progressing' }
    : health;
}

/** The worst of several healths; undefined when none is given. */
export function worstHealth(healths: readonly Health[]): Health | undefined {
  return healths.reduce<Health | undefined>((worst, next) => (worst === undefined || rank(next) > rank(worst) ? next : worst), undefined);
}

/** The worst of what nobody suspended, which is no fault; of what is suspended where there is nothing else; undefined when none is given. */
export function worstActiveHealth(healths: readonly Health[]): Health | undefined {
  const active = healths.filter(({ status }) => status !== 'Suspended');
  return worstHealth(active.length === 0 ? healths : active);
}

function rank(health: Health): number {
  return HEALTH_STATUSES.indexOf(health.status);
}
