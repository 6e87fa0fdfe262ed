import { POD_SECURITY_LABEL } from '../kubernetes/pod-security-labels.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { Finding, Findings, FindingSubject } from './findings.ts';

/** What is known of the pods that an instance will have, by those of another one of its kind. */
export type PodEvidence =
  /** There is no other instance whose pods may be read, or nobody asked. */
  | { readonly kind: 'None' }
  | {
      readonly kind: 'Tried';
      /** `orders-db`, or `orders-db in shop` where it is in another environment. */
      readonly of: string;
      readonly rejections: readonly { readonly subject: FindingSubject; readonly message: string }[];
      readonly warnings: readonly string[];
    };

/**
 * What the namespace will say to the pods of an instance. They are not there before its operator makes them, so at best those of another instance tell;
 * with nothing to go by, the level of Pod Security is what to look out for.
 */
export function podFindings(namespace: KubeObject | undefined, pods: PodEvidence): Partial<Findings> {
  const level = namespace?.metadata.labels?.[`${POD_SECURITY_LABEL}enforce`] ?? 'privileged';
  const rule = `The namespace ${namespace?.metadata.name ?? ''} enforces the Pod Security level ${level}`;
  const place = `${rule}; whether the pods of this app comply is unknown until its operator creates them`;
  // What baseline rejects reaches for the node, and hardly an app does; it is the level of every Environment, so only evidence is worth a line.
  const enforces = level === 'restricted';
  if (pods.kind === 'None') {
    if (!enforces) return {};
    const message = `${place}: there is no other instance with pods that you may read`;
    return { unchecked: [{ message, subject: 'PodSecurity', evidence: 'exact' }] };
  }
  const { of, rejections, warnings } = pods;
  const rejected = rejections.map(({ subject, message }) => estimate(`Pods like those of ${of} would be rejected: ${message}`, subject));
  const warned = warnings.map((warning) => estimate(`Pods like those of ${of}: ${warning}`, 'Policy'));
  const known = enforces && rejected.length === 0 ? [estimate(`${place}. Pods like those of ${of} are allowed`, 'PodSecurity')] : [];
  return { warned: [...rejected, ...warned], unchecked: known };
}

function estimate(message: string, subject: FindingSubject): Finding {
  return { message, subject, evidence: 'estimate' };
}
