/** The health words of design section 2, from best to worst. */
export const HEALTH_WORDS = ['Healthy', 'Suspended', 'Progressing', 'Unknown', 'Missing', 'Degraded'] as const;
export type HealthWord = (typeof HEALTH_WORDS)[number];

/** The health of one object, with a sentence about why. */
export interface Health {
  readonly word: HealthWord;
  readonly message: string;
}

/** The worst of several healths; undefined when none is given. */
export function worstHealth(healths: readonly Health[]): Health | undefined {
  return healths.reduce<Health | undefined>((worst, next) => (worst === undefined || rank(next) > rank(worst) ? next : worst), undefined);
}

function rank(health: Health): number {
  return HEALTH_WORDS.indexOf(health.word);
}
