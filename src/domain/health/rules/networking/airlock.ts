import { at, listAt, textAt } from '../../../core/read.ts';
import { conditionsIn } from '../conditions.ts';
import { either, healthy, present, progressing, type Finding, type HealthLine, type HealthRules } from '../rule.ts';
import { ancestorsHealth } from './gateway-api.ts';

/** An ancestor that has judged, and has not said that it accepts. */
const unaccepted: HealthLine = ({ kind, status }) => {
  const ancestor = listAt(status, 'ancestors')
    .slice(0, MOST_ANCESTORS)
    .find((item) => {
      const conditions = conditionsIn(at(item, 'conditions'));
      return conditions.length > 0 && conditions.every(({ type }) => type !== 'Accepted');
    });
  if (ancestor === undefined) return undefined;
  return { status: 'Degraded', message: `Ancestor ${textAt(ancestor, 'ancestorRef', 'name') ?? ''}: ${kind} is not accepted` };
};

const MOST_ANCESTORS = 50;

/** The other kinds are only referred to, and have no status of their own as long as nobody does. */
const isPolicy: Finding = ({ kind }) => (kind.endsWith('Policy') ? '' : undefined);

/** Airlock Microgateway (docs.airlock.com/microgateway): policies of the Gateway API; what no ancestor says a word against is in force. */
export const airlock: HealthRules = {
  'microgateway.airlock.com/*': [
    unaccepted,
    ancestorsHealth,
    healthy(present('status.ancestors.0'), '{kind} is healthy'),
    progressing(either(isPolicy, present('status')), 'Waiting for {kind} status'),
  ],
};
