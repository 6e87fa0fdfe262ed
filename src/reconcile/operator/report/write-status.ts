import { isDeepStrictEqual } from 'node:util';
import { OPERATOR } from '../../../domain/kubernetes/resource-types.ts';
import type { ConditionInput } from '../../../domain/kubernetes/condition.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import type { Work } from '../work.ts';
import { composeStatus, type Finding } from './compose-status.ts';
import { isFalse } from './conditions.ts';
import { recordPending, recordTransitions } from './record-transitions.ts';

/** Writes the status of an Operator when it differs from the one it was read with, and tells of conditions that changed. */
export async function writeStatus(work: Work, finding: Finding): Promise<void> {
  const { ports, operator, signal } = work;
  const status = composeStatus(work, finding);
  if (isDeepStrictEqual(plain(status), plain(operator.status ?? {}))) return;
  const { apiVersion, kind, metadata } = operator;
  const address = { name: metadata.name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) };
  await ports.cluster.applyStatus(
    OPERATOR,
    { apiVersion, kind, metadata: address, status },
    { fieldManager: OURS.fieldManager, force: 'force', signal },
  );
  await recordTransitions(work, status.conditions);
  await recordPending(work, status.pendingUpgrade);
}

/** As it comes back from the wire: without absent members, and without empty lists. */
function plain(value: object): unknown {
  const members = Object.entries(JSON.parse(JSON.stringify(value)) as Record<string, unknown>);
  return Object.fromEntries(members.filter(([, member]) => !(Array.isArray(member) && member.length === 0)));
}

/** `Ready` is false for the reason that another condition gives. */
export function notReady(because: ConditionInput): ConditionInput {
  return isFalse('Ready', because.reason, because.message);
}

/** The Operator with the status that was just written, for what is found out next. */
export function withStatus(work: Work, finding: Finding): Work {
  const status = composeStatus(work, finding);
  const operator: KubeObject = { ...work.operator, status };
  return { ...work, status, operator };
}
