import type { KubeObject } from '../resource.ts';
import type { Findings } from './findings.ts';

const LABEL = 'pod-security.kubernetes.io/';

/**
 * What Pod Security asks of pods in a namespace. What the operator's pods look like is not known before they are there, so this is what to look out
 * for, not a verdict.
 */
export function podSecurityFindings(namespace: KubeObject): Partial<Findings> {
  const level = (mode: string): string => namespace.metadata.labels?.[`${LABEL}${mode}`] ?? 'privileged';
  const { name } = namespace.metadata;
  if (level('enforce') !== 'privileged') {
    const message = `The namespace ${name} takes only pods of the Pod Security level ${level('enforce')}; whether those of this app are, shows when its operator makes them`;
    return { unchecked: [{ message, about: 'PodSecurity', evidence: 'exact' }] };
  }
  return {};
}
