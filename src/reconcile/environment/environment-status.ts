import { isDeepStrictEqual } from 'node:util';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import { mergeConditions, type Condition, type ConditionInput } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import type { EnvironmentPorts } from './ports.ts';

/** How an Environment stands, in one word, a reason and a sentence. */
export interface EnvironmentCondition {
  readonly word: 'Ready' | 'Reconciling' | 'Stalled';
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
  /** The reserved namespace, once it is. */
  readonly namespace?: KubeObject;
}

/** Writes the status when it differs from what the Environment carries, and an Event when the standing has changed. */
export async function writeEnvironmentCondition(
  ports: EnvironmentPorts,
  environment: KubeObject,
  input: { standing: EnvironmentCondition; signal: AbortSignal },
): Promise<void> {
  const { standing, signal } = input;
  const { metadata } = environment;
  const earlier = listAt(environment.status, 'conditions') as readonly Condition[];
  const conditions = mergeConditions(
    earlier,
    conditionsOf(standing, metadata.generation ?? 0),
    `${ports.now().toISOString().slice(0, 19)}Z`,
  );
  const status = {
    observedGeneration: metadata.generation ?? 0,
    ...namespaceOf(environment, standing),
    conditions,
  };
  if (isDeepStrictEqual(status, environment.status)) return;
  const object = { apiVersion: apiVersionOf(ENVIRONMENT), kind: 'Environment', metadata: { name: metadata.name }, status };
  await ports.cluster.applyStatus(ENVIRONMENT, object, { fieldManager: OURS.fieldManager, force: 'force', signal });
  const before = earlier.find((condition) => condition.type === 'Ready');
  if (before?.reason === standing.reason) return;
  await ports.events.record(environment, {
    type: standing.word === 'Stalled' ? 'Warning' : 'Normal',
    reason: standing.reason,
    message: standing.message,
  });
}

function conditionsOf({ word, reason, message }: EnvironmentCondition, observedGeneration: number): ConditionInput[] {
  const ready: ConditionInput = { type: 'Ready', status: word === 'Ready' ? 'True' : 'False', reason, message, observedGeneration };
  return word === 'Ready' ? [ready] : [ready, { ...ready, type: word, status: 'True' }];
}

function namespaceOf({ status }: KubeObject, { namespace }: EnvironmentCondition): { namespace?: string; namespaceUID?: string } {
  const name = namespace?.metadata.name ?? textAt(status, 'namespace');
  const uid = namespace?.metadata.uid ?? textAt(status, 'namespaceUID');
  return { ...(name === undefined ? {} : { namespace: name }), ...(uid === undefined ? {} : { namespaceUID: uid }) };
}
