/** The levels of the Pod Security Standards, from no restriction to the most. */
export const POD_SECURITY_LEVELS = ['privileged', 'baseline', 'restricted'] as const;
type PodSecurityLevel = (typeof POD_SECURITY_LEVELS)[number];

/** What Pod Security admission does about the pods of a namespace: reject, note in the audit log of the api-server, or warn. */
export interface PodSecurity {
  readonly enforce: PodSecurityLevel;
  readonly audit: PodSecurityLevel;
  readonly warn: PodSecurityLevel;
  /** Of Kubernetes, whose standards count: `latest` or e.g. `v1.36`. */
  readonly version: string;
}

export const POD_SECURITY_LABEL = 'pod-security.kubernetes.io/';

/** The labels by which a namespace asks for it. */
export function podSecurityLabels({ version, ...levels }: PodSecurity): Record<string, string> {
  const labels = Object.entries(levels).flatMap(([mode, level]) => [
    [`${POD_SECURITY_LABEL}${mode}`, level],
    [`${POD_SECURITY_LABEL}${mode}-version`, version],
  ]);
  return Object.fromEntries(labels) as Record<string, string>;
}
