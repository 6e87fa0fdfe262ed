/** The API groups with a dot that Kubernetes itself serves; a CustomResourceDefinition cannot have one without. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** Whether Kubernetes itself serves the group. A CRD can carry the name of one of its resources, such as rolebindings.rbac.authorization.k8s.io. */
export function isBuiltInGroup(group: string): boolean {
  return BUILT_IN.has(group);
}

/** Whether a group belongs to the Kubernetes project, also where a CRD brings it: `gateway.networking.k8s.io`. Those of `x-k8s.io` are its separate projects. */
export function isKubernetesGroup(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}
