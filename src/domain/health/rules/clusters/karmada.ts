import { at, listAt } from '../../../core/read.ts';
import { healthy, otherwise, type HealthLine, type HealthRule, type HealthRules } from '../rule.ts';

/** What the member clusters say of the resource that is spread over them. One that is bound by a dependant names no clusters itself. */
const members: HealthLine = ({ spec, status }) => {
  const wanted = listAt(spec, 'clusters').length;
  const states = listAt(status, 'aggregatedStatus');
  if (states.length === 0 || states.length < wanted) return { status: 'Progressing', message: 'Current resource status is insufficient' };
  const isWell = states.slice(0, MOST_MEMBERS).every((state) => at(state, 'applied') === true && at(state, 'health') !== 'Unhealthy');
  return isWell ? undefined : { status: 'Degraded', message: 'Current resource status is unhealthy' };
};

const MOST_MEMBERS = 1000;

const rule: HealthRule = [members, healthy(otherwise)];

/** Karmada (karmada.io): which resource goes to which clusters. */
export const karmada: HealthRules = {
  'work.karmada.io/ResourceBinding': rule,
  'work.karmada.io/ClusterResourceBinding': rule,
};
