import { createHash } from 'node:crypto';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import type { Manifest } from './kube-object.ts';

/** The security settings that the Pod Security Standard `restricted` asks for, for one user and group id. */
export function podSecurity(id: number): JsonObject {
  return {
    runAsNonRoot: true,
    runAsUser: id,
    runAsGroup: id,
    fsGroup: id,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

/** The same for a container: no way to more permissions, and nothing to write to but its volumes. */
export const CONTAINER_SECURITY: JsonObject = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

export interface ProbeTiming {
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

/** A probe that runs a shell line in the container. */
export function shellProbe(line: string, { periodSeconds, failureThreshold }: ProbeTiming): JsonObject {
  return { exec: { command: ['sh', '-c', line] }, periodSeconds, failureThreshold, timeoutSeconds: 5 };
}

/** Prefers different nodes for pods with the same labels, without insisting: a small cluster may have one node only. */
export function spreadOverNodes(labels: Readonly<Record<string, string>>): JsonObject {
  return {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } } },
      ],
    },
  };
}

/** Twelve hex digits that change with the content: put on a pod template, they roll the pods when a mounted file changes. */
export function contentHash(content: unknown): string {
  return createHash('sha256').update(stringifyJson(content)).digest('hex').slice(0, 12);
}

/** A label selector as text. */
export function selectorText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

export interface BudgetInput {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Readonly<Record<string, string>>;
  /** A number or a share such as `25%`. */
  readonly maxUnavailable: string | number;
}

/** How many pods maintenance may take away at the same time. */
export function disruptionBudget({ namespace, name, selector, maxUnavailable }: BudgetInput): Manifest {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace, name, labels: selector },
    spec: { maxUnavailable, selector: { matchLabels: selector } },
  };
}
