import type { ConditionInput } from '../domain/kubernetes/condition.ts';
import type { ReleaseRef } from './helm-release/ports.ts';

const MAX_MESSAGE_LENGTH = 16_000;

export function reconciling({ reason, message }: ConditionInput): ConditionInput {
  return isTrue('Reconciling', reason, message);
}

export function stalled({ reason, message }: ConditionInput): ConditionInput {
  return isTrue('Stalled', reason, message);
}

export function isTrue(type: string, reason: string, message: string): ConditionInput {
  return { type, status: 'True', reason, message: message.slice(0, MAX_MESSAGE_LENGTH) };
}

export function isFalse(type: string, reason: string, message: string): ConditionInput {
  return { type, status: 'False', reason, message: message.slice(0, MAX_MESSAGE_LENGTH) };
}

/** `Ready` is false for the reason that another condition gives. */
export function notReady({ reason, message }: ConditionInput): ConditionInput {
  return isFalse('Ready', reason, message);
}

export function released({ release, namespace }: ReleaseRef, revision: number): ConditionInput {
  return isTrue('Released', 'Deployed', `Release ${namespace}/${release} is deployed in revision ${revision}`);
}
