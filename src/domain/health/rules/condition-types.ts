/**
 * What it means that a condition of a type is true. `Summary` and `Part` are good news of all of an object and of a part of it; `Good` is good news that nothing has to
 * follow from when it is false; `Information` says nothing about health.
 */
export type ConditionMeaning = 'Summary' | 'Part' | 'Good' | 'Negative' | 'Busy' | 'Suspended' | 'Information' | 'Unclear';

/** Conditions that sum an object up, the most telling first. */
export const SUMMARIES: readonly string[] = [
  'Finished',
  'Ready',
  'Available',
  'Succeeded',
  'Established',
  'Complete',
  'Completed',
  'Synced',
  'Healthy',
  'Valid',
  'Programmed',
  'Accepted',
  'Compliant',
  'Successful',
  'Admitted',
  'Applied',
  'Deployed',
  'Done',
  'Reconciled',
  'SuccessfullyReconciled',
  'Serving',
  'Imported',
  'Active',
];

/** Of what runs once, these tell more than that it is ready to run. */
export const ENDS: readonly string[] = ['Succeeded', 'Complete', 'Completed', 'Done'];

/** Summaries that are a verdict: nothing is under way that would make them true. */
export const VERDICTS: readonly string[] = ['Valid', 'Accepted', 'Compliant'];

/** Of conditions of work, the ones that tell of a change beside a summary that still holds for the pods before it. */
export const ROLLOUT: readonly string[] = ['Progressing', 'RollingOut', 'ScalingUp', 'ScalingDown'];

/** The last word of a type decides, as in `DatabaseReady`; where that says nothing, a negative word anywhere does, as in `ErrorOccurred`. */
const PART =
  /^(ready|available|succeeded|success|healthy|applied|deployed|synchronized|synced|resolved|validated|accepted|installed|completed|reconciled|refs)$/;
const NEGATIVE =
  /^(stalled|fail|failed|failure|failures|failing|degraded|conflict|conflicts|conflicted|error|errors|errored|invalid|unavailable|unhealthy|terminal|irreconcilable|fallback|misconfigured|blocked|denied|rejected|unsupported|unreachable|expired|lost|broken|corrupted|missing|faulted|aborted|timeout|exceeded|mismatch|crashed|crashing|pressure|noncompliant|misscheduled|unresolved|unauthorized|insufficient)$/;
const SUSPENDED = /^(suspended|paused|hibernating|hibernated|asleep|stopped|halted|cordoned)$/;
/** True and false are both as they should be. */
const INFORMATION =
  /^(active|drifted|consolidatable|upgradeable|upgradable|migratable|deprecated|evicted|preempted|empty|warning|warnings|requested|required|restart|upgrade|optimized|recovered|outdated)$/;
/** Words that end in "ing" and tell of no work. */
const STATES = /^(running|serving|existing|archiving|polling|matching|sharing|monitoring|logging|routing|networking|scheduling)$/;
const WORK = /^(running|inprogress|progress|pending|unschedulable|rollingout|rollingupdate|scalingup|scalingdown)$/;
const GOOD = /(ed|able|ible)$/;
/** What ends like good news and is none. */
const NOT_GOOD =
  /^(selected|injected|used|limited|changed|modified|deleted|removed|terminated|detached|disconnected|disabled|unused|need|scaled|red)$/;

const known = new Map<string, ConditionMeaning>();
const MAX_KNOWN = 5_000;

export function meaningOfType(type: string): ConditionMeaning {
  const before = known.get(type);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const meaning = read(type.slice(0, MAX_LENGTH));
  known.set(type, meaning);
  return meaning;
}

const MAX_LENGTH = 120;

function read(type: string): ConditionMeaning {
  if (SUMMARIES.includes(type)) return 'Summary';
  const words = wordsOf(type);
  const [first = '', ...rest] = words;
  const last = words.at(-1) ?? '';
  if (first === 'no' && rest.length > 0) return 'Good';
  if (first === 'not' && rest.length > 0) return 'Negative';
  if (NEGATIVE.test(last)) return 'Negative';
  if (SUSPENDED.test(last)) return 'Suspended';
  if (PART.test(last)) return 'Part';
  if (words.some((word) => NEGATIVE.test(word))) return 'Negative';
  if (INFORMATION.test(last) || first === 'pending') return first === 'pending' ? 'Busy' : 'Information';
  if (WORK.test(words.join('')) || (last.endsWith('ing') && !STATES.test(last))) return 'Busy';
  return GOOD.test(last) && !NOT_GOOD.test(last) ? 'Good' : 'Unclear';
}

/** `secrets.example.com/SecretSyncReady` → secret, sync, ready. */
function wordsOf(type: string): string[] {
  return type
    .replace(/^.*\//, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
