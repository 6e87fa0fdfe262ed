import type { JsonObject } from '../domain/kubernetes/resource.ts';

const TEXT: JsonObject = { type: 'string' };
const TEXTS: JsonObject = { type: 'object', additionalProperties: TEXT };
const AMOUNTS: JsonObject = { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } };
const open = (properties: JsonObject): JsonObject => ({ type: 'object', properties, additionalProperties: true });
const rows = (properties: JsonObject): JsonObject => ({ type: 'array', items: open(properties) });

const TOLERATION: JsonObject = {
  key: TEXT,
  operator: { type: 'string', enum: ['Equal', 'Exists'] },
  value: TEXT,
  effect: { type: 'string', enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
  tolerationSeconds: { type: 'integer' },
};
const SECURITY: JsonObject = {
  runAsUser: { type: 'integer' },
  runAsGroup: { type: 'integer' },
  runAsNonRoot: { type: 'boolean' },
};

/** What charts hand on to Kubernetes under the name that it has there. Members beyond those listed stay possible. */
const MAPS: readonly (readonly [RegExp, JsonObject])[] = [
  [/^(\w*[a-z])?(nodeSelector|matchLabels|annotations|labels)$/i, TEXTS],
  [/^resources$/, open({ limits: AMOUNTS, requests: AMOUNTS })],
  [/^podSecurityContext$/, open({ ...SECURITY, fsGroup: { type: 'integer' } })],
  [/^(container)?securityContext$/i, open({ ...SECURITY, readOnlyRootFilesystem: { type: 'boolean' } })],
  [/^affinity$/, open({ nodeAffinity: {}, podAffinity: {}, podAntiAffinity: {} })],
];
const LISTS: readonly (readonly [RegExp, JsonObject])[] = [
  [/^tolerations$/, rows(TOLERATION)],
  [/^(extraEnv|env|extraEnvVars|extraEnvs)$/, rows({ name: TEXT, value: TEXT, valueFrom: {} })],
  [/^imagePullSecrets$/, rows({ name: TEXT })],
  [/^(command|args|extraArgs|accessModes)$/, { type: 'array', items: TEXT }],
];

/**
 * The schema of a value that is empty in values.yaml, from its name.
 *
 * @param words its comment: where it speaks of names, pull secrets are texts rather than objects.
 */
export function wellKnownValue(key: string, shape: 'map' | 'list', words: string): JsonObject | undefined {
  if (key === 'imagePullSecrets' && shape === 'list' && /\bnames\b/i.test(words)) return { type: 'array', items: TEXT };
  return (shape === 'map' ? MAPS : LISTS).find(([name]) => name.test(key))?.[1];
}
