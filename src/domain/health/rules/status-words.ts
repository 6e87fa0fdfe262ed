import type { HealthStatus } from '../health.ts';

/**
 * What controllers call the state of an object in a reason, a phase or a state: the first row with a match counts. Something that failed while it was being
 * created failed, so failures stand first.
 */
const WORDS: readonly (readonly [HealthStatus, RegExp])[] = [
  [
    'Degraded',
    /fail|error|exception|invalid|degraded|reject|crash|unhealthy|stalled|evicted|refused|denied|mismatch|warning|lost\b|^(red|offline|dead)$/i,
  ],
  ['Suspended', /suspend|paus|hibernat|stopped/i],
  ['Unknown', /^unknown$/i],
  [
    'Progressing',
    /pending|progress|creat(?!ed)|initiali[sz]|provision(?!ed)|start(?!ed)|wait|notready|install(?!ed)|deploy(?!ed)|reconcil|scaling|updat(?!ed)|upgrad(?!ed)|issuing|schedul|restor(?!ed)|import|clon|running|transfer|bootstrap|delet|terminating|stopping|not ?complete|^(new|init|yellow)/i,
  ],
];

const GOOD =
  /^(ready|running|active|available|healthy|bound|succeeded|success|successful|completed?|done|accepted|compliant|online|green|deployed|established|ok|synced|provisioned|installed|created|started|updated|valid|up|normal)$/i;

/** What the reason of a condition that does not hold means; undefined when it says neither failure nor work. */
export function meaningOfReason(reason: string): HealthStatus | undefined {
  return WORDS.find(([, pattern]) => pattern.test(reason))?.[0];
}

/** What a phase or a state means. */
export function meaningOfPhase(phase: string): HealthStatus | undefined {
  return GOOD.test(phase.trim()) ? 'Healthy' : meaningOfReason(phase.trim());
}
