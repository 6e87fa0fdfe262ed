import type { HealthStatus } from '../health.ts';

/**
 * What controllers call the state of an object in a reason, a phase or a state: the first row with a match counts. Something that failed while it was being
 * created failed, so failures stand first.
 */
const WORDS: readonly (readonly [HealthStatus, RegExp])[] = [
  [
    'Degraded',
    /fail|error|exception|invalid|degraded|reject|crash|unhealthy|stalled|evicted|refused|denied|mismatch|conflict|warning|expired|critical|blocked|timed ?out|timeout|exceeded|corrupt|aborted|cancell?ed|abnormal|unrecoverable|outofsync|noncompliant|backoff|incompatible|faulted|misconfigured|lost\b|^health_?(err|warn)|^(red|offline|dead|down|broken|inactive|unavailable|orphaned|rolled_?back)$/i,
  ],
  ['Suspended', /suspend|paus|hibernat|stopped|halted|disabled|cordoned|requires_? ?approval|(await|pending)\w* ?approval/i],
  ['Missing', /^(notfound|missing|absent)$/i],
  ['Unknown', /^(unknown|inconclusive)$/i],
  [
    'Progressing',
    /pending|progress|creat(?!ed)|initiali[sz](?!ed)|provision(?!ed)|start(?!ed)|wait|notready|minimumreplicasunavailable|install(?!ed)|deploy(?!ed)|reconcil(?!ed)|scaling|updat(?!ed)|upgrad(?!ed)|issuing|schedul|restor(?!ed)|import(?!ed)|clon(?!ed)|running|transfer|bootstrap|delet|terminating|stopping|queue|prepared|finaliz(?!ed)|building|migrating|resizing|configuring|applying|backing ?up|joining|syncing|recovering|preparing|draining|rolling|rebalancing|submitted|planned|setting ?up|failing ?over|switching|promoting|realizing|awaited|partial|not ?complete|^(new|init|yellow)/i,
  ],
];

const GOOD =
  /^(ready|running|active|available|healthy|bound|succeeded|succeed|success|successful|successfully|completed?|done|finished|executed|realized|accepted|approved|applied|attached|admitted|compliant|configured|connected|enabled|exists|online|open|runninghealthy|green|deployed|established|initialized|insync|loaded|ok|okay|operational|pass|passed|passing|programmed|provisioned|published|reconciled|registered|resolved|serving|stable|synced|synchronized|installed|imported|created|started|updated|restored|valid|validated|verified|up|uptodate|atlatestknown|normal|works|healthok)$/i;

/** A phase that is a sentence: `Cluster in healthy state`. */
const GOOD_SENTENCE = /^[\w ]{0,40}\bin (a )?(healthy|ready|running) state$/i;

/** Kinds whose objects run once: while they run, they are not done. */
export const RUN =
  /(Run|Job|Task|Backup|Restore|Snapshot|Build|Test|Scan|Upload|Download|Experiment|Workflow|Execution|Migration|Operation|Rebalance|Request|Export|Import|Upgrade|Promotion|Session|Trial|ActionSet|Verification|Evaluation)$/;

/** What the reason of a condition that does not hold means; undefined when it says neither failure nor work. */
export function meaningOfReason(reason: string): HealthStatus | undefined {
  return WORDS.find(([, pattern]) => pattern.test(reason.slice(0, MAX_LENGTH)))?.[0];
}

/** What a phase or a state of an object of the kind means: `Running` is the end of a server and the middle of a job. Undefined for a word of its own. */
export function meaningOfPhase(phase: string, kind: string): HealthStatus | undefined {
  const word = phase.slice(0, MAX_LENGTH).trim();
  if (GOOD_SENTENCE.test(word)) return 'Healthy';
  const isGood = GOOD.test(word.replace(/^(state|phase|status)_/i, '').replaceAll(/[\s_-]/g, ''));
  if (!isGood) return meaningOfReason(word) ?? meaningOfReason(word.replaceAll(/[_-]/g, ''));
  return /^(running|active|started|accepted|created)$/i.test(word) && RUN.test(kind) ? 'Progressing' : 'Healthy';
}

/** Of a word; what is longer is a sentence. */
const MAX_LENGTH = 120;
