import { parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import type { AppDefinitionStatus } from '../../domain/app-definition/app-definition-kind.ts';
import { type ConditionInput, findCondition, mergeConditions } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { APP_DEFINITION } from '../../domain/kubernetes/resource-types.ts';
import { applyStatus } from '../apply-status.ts';
import type { FetchedDefinition } from './fetch-definition.ts';
import type { DefinitionWork } from './observe.ts';

/** What is true of an AppDefinition now. */
export interface Report {
  readonly kind: 'Ready' | 'Reconciling' | 'Stalled' | 'Suspended';
  /** CamelCase, as of conditions. */
  readonly reason: string;
  readonly message: string;
  /** Of the other conditions. */
  readonly also?: readonly ConditionInput[];
  /** Fields of the status that are known anew; undefined: that are there no longer. */
  readonly found?: { readonly [K in keyof Omit<AppDefinitionStatus, 'conditions'>]?: AppDefinitionStatus[K] | undefined };
}

/** The members of the status that a fetched chart gives. */
export function chartStatus({ metadata, digest }: FetchedDefinition): NonNullable<AppDefinitionStatus['chart']> {
  const { name, version, appVersion } = metadata;
  return { name, version, ...(appVersion === undefined ? {} : { appVersion }), digest };
}

export function isTrue(type: string, reason: string, message: string): ConditionInput {
  return { type, status: 'True', reason, message };
}

export function isFalse(type: string, reason: string, message: string): ConditionInput {
  return { type, status: 'False', reason, message };
}

/** Writes the status when it differs from what the AppDefinition carries, and an Event when the reason has changed. */
export async function report(
  { ports, definition, signal }: DefinitionWork,
  { kind, reason, message, also = [], found = {} }: Report,
): Promise<void> {
  const { generation = 0, annotations = {} } = definition.metadata;
  const { conditions: earlier, ...before } = parseAppDefinitionStatus(definition);
  const ready = kind === 'Ready' ? isTrue('Ready', reason, message) : isFalse('Ready', reason, message);
  const more = kind === 'Reconciling' || kind === 'Stalled' ? [isTrue(kind, reason, message)] : [];
  const next = [ready, ...more, ...also].map((condition) => ({ ...condition, observedGeneration: generation }));
  const requestedAt = annotations[OURS.reconcileAt];
  const status = {
    ...before,
    ...found,
    observedGeneration: generation,
    ...(requestedAt === undefined ? {} : { lastHandledReconcileAt: requestedAt }),
    conditions: mergeConditions(earlier, next, `${ports.now().toISOString().slice(0, 19)}Z`),
  };
  if ((await applyStatus(ports.cluster, APP_DEFINITION, { object: definition, status, signal })) === 'Unchanged') return;
  if (findCondition(earlier, 'Ready')?.reason === reason) return;
  await ports.events.record(definition, { type: kind === 'Stalled' ? 'Warning' : 'Normal', reason, message });
}
