import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { Reply, Target } from './target.ts';

// Operators that an admin is about to create.

interface Findings {
  readonly blocked?: readonly { readonly message: string }[];
  readonly warned?: readonly { readonly message: string }[];
}

export function newOperator(name: string, spec: object): KubeObject {
  return { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { name, namespace: 'default' }, spec };
}

/** What the preflight of an Operator answers to an admin. */
export async function preflighted(target: Target, operator: KubeObject): Promise<Reply> {
  return await target.call('admin', '/api/v1/operators?dryRun=All', { method: 'POST', body: operator });
}

export function blockedIn(preflight: unknown): readonly string[] {
  return messagesOf(preflight, 'blocked');
}

export function warnedIn(preflight: unknown): readonly string[] {
  return messagesOf(preflight, 'warned');
}

function messagesOf(preflight: unknown, group: keyof Findings): readonly string[] {
  return ((preflight as { findings?: Findings } | undefined)?.findings?.[group] ?? []).map(({ message }) => message);
}
