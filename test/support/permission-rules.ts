interface Sample {
  readonly rule: {
    readonly apiGroups: string[];
    readonly resources: string[];
    readonly verbs: string[];
    readonly resourceNames?: string[];
  };
  /** Why it is rejected; absent for one that is not. */
  readonly reason?: RegExp;
}

/** Rules for `spec.permissions` of AppDefinitions: the api-server and `proposedRules` agree about each. */
export const PERMISSION_RULES: readonly Sample[] = [
  { rule: { apiGroups: ['monitoring.coreos.com'], resources: ['servicemonitors'], verbs: ['get', 'create', 'patch', 'delete'] } },
  { rule: { apiGroups: ['argoproj.io'], resources: ['*'], verbs: ['get', 'list'] } },
  { rule: { apiGroups: [''], resources: ['pods', 'pods/portforward'], verbs: ['*'] } },
  { rule: { apiGroups: [''], resources: ['resourcequotas'], verbs: ['get', 'list', 'watch'] } },
  { rule: { apiGroups: ['samples.chandlery.dev'], resources: ['caches'], verbs: ['create'] } },
  { rule: { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['escalate'] }, reason: /escalate/ },
  { rule: { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get', 'impersonate'] }, reason: /impersonate/ },
  { rule: { apiGroups: [''], resources: ['pods'], verbs: ['impersonate-on:user-info:create'] }, reason: /impersonate/ },
  { rule: { apiGroups: ['argoproj.io'], resources: ['*'], verbs: ['*'] }, reason: /name the verbs or the resources/ },
  { rule: { apiGroups: ['*'], resources: ['things'], verbs: ['get'] }, reason: /name the API groups/ },
  { rule: { apiGroups: ['chandlery.dev'], resources: ['environments'], verbs: ['update'] }, reason: /API groups of Chandlery/ },
  { rule: { apiGroups: ['apps.chandlery.dev'], resources: ['webs'], verbs: ['create'] }, reason: /API groups of Chandlery/ },
  { rule: { apiGroups: ['operatorcontroller.kubeplus'], resources: ['operators'], verbs: ['create'] }, reason: /API groups of Chandlery/ },
  { rule: { apiGroups: [''], resources: ['*'], verbs: ['create'] }, reason: /name the resources/ },
  { rule: { apiGroups: ['networking.k8s.io'], resources: ['*/status'], verbs: ['patch'] }, reason: /name the resources/ },
  { rule: { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: ['*'] }, reason: /includes escalate/ },
  { rule: { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] }, reason: /tokens/ },
  { rule: { apiGroups: [''], resources: ['limitranges'], verbs: ['create'] }, reason: /Environment decides/ },
  { rule: { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['*'] }, reason: /Environment decides/ },
  { rule: { apiGroups: [''], resources: ['namespaces'], verbs: ['patch'] }, reason: /Environment decides/ },
  { rule: { apiGroups: [''], resources: ['resourcequotas/status'], verbs: ['update'] }, reason: /Environment decides/ },
  {
    rule: { apiGroups: [''], resources: ['secrets'], resourceNames: ['sh.helm.release.v1.web.v1'], verbs: ['update'] },
    reason: /release records/,
  },
];
