import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ErrorCode, FieldFault } from '../../../src/domain/core/errors.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { statusError } from '../../../src/kube/transport/status-error.ts';

const RIGHT = { verb: 'create', group: 'apps', resource: 'deployments', namespace: 'ns' };

interface Case {
  readonly world: string;
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly causes?: readonly object[];
  readonly is: ErrorCode;
  readonly says: RegExp;
  readonly faults?: readonly FieldFault[];
}

const CASES: readonly Case[] = [
  {
    world: 'a missing permission',
    code: 403,
    reason: 'Forbidden',
    message: 'deployments.apps is forbidden: User "oidc:a" cannot create resource "deployments" in API group "apps" in the namespace "ns"',
    is: 'Forbidden',
    says: /^create: User "oidc:a" cannot create/,
  },
  {
    world: 'a used-up quota',
    code: 403,
    reason: 'Forbidden',
    message: 'pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3',
    is: 'QuotaExceeded',
    says: /exceeded quota: q, requested: pods=1/,
  },
  {
    world: 'a quota that nobody has counted yet',
    code: 403,
    reason: 'Forbidden',
    message: 'caches.a.example "c" is forbidden: status unknown for quota: q, resources: count/caches.a.example',
    is: 'QuotaExceeded',
    says: /has not counted the resources.*count\/caches\.a\.example/,
  },
  {
    world: 'a quota that asks for limits',
    code: 403,
    reason: 'Forbidden',
    message: 'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: main',
    is: 'QuotaExceeded',
    says: /must specify limits.cpu/,
  },
  {
    world: 'a ValidatingAdmissionPolicy',
    code: 422,
    reason: 'Invalid',
    message: `deployments.apps "d" is forbidden: ValidatingAdmissionPolicy 'small' with binding 'everywhere' denied request: at most 5 replicas`,
    is: 'AdmissionDenied',
    says: /policy "small": at most 5 replicas/,
    faults: [{ message: 'policy "small": at most 5 replicas' }],
  },
  {
    world: 'an admission webhook',
    code: 400,
    message: 'admission webhook "checks.example.com" denied the request: no latest tags',
    is: 'AdmissionDenied',
    says: /webhook "checks.example.com": no latest tags/,
  },
  {
    world: 'Pod Security',
    code: 403,
    reason: 'Forbidden',
    message: 'pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged (container "c" must not set it)',
    is: 'AdmissionDenied',
    says: /violates PodSecurity "baseline:latest"/,
  },
  {
    world: 'a limit range',
    code: 403,
    reason: 'Forbidden',
    message: 'pods "p" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    is: 'AdmissionDenied',
    says: /maximum cpu usage per Container is 1/,
  },
  {
    world: 'a namespace on its way out',
    code: 403,
    reason: 'Forbidden',
    message: 'configmaps "c" is forbidden: unable to create new content in namespace ns because it is being terminated',
    causes: [{ reason: 'NamespaceTerminating', message: 'namespace ns is being terminated', field: 'metadata.namespace' }],
    is: 'AdmissionDenied',
    says: /namespace ns is being terminated/,
  },
  {
    world: 'an account that may not impersonate',
    code: 403,
    reason: 'Forbidden',
    message: 'users "oidc:a" is forbidden: User "robot" cannot impersonate resource "users" in API group "" at the cluster scope',
    is: 'ConfigInvalid',
    says: /own account may not impersonate/,
  },
  {
    world: 'values that a schema rejects',
    code: 422,
    reason: 'Invalid',
    message: 'Cache "c" is invalid: spec.size: Unsupported value: "huge"',
    causes: [
      { reason: 'FieldValueNotSupported', message: 'Unsupported value: "huge"', field: 'spec.size' },
      { reason: 'FieldValueInvalid', message: 'Invalid value: "null": some rules were not checked', field: '<nil>' },
    ],
    is: 'InvalidInput',
    says: /^create: spec.size: Unsupported value: "huge"; some rules were not checked$/,
    faults: [{ field: 'spec.size', message: 'Unsupported value: "huge"' }, { message: 'some rules were not checked' }],
  },
  {
    world: 'unknown and duplicate fields',
    code: 400,
    reason: 'BadRequest',
    message:
      'Cache in version "v1" cannot be handled as a Cache: strict decoding error: unknown field "spec.users[0].pass", duplicate field "spec.size"',
    is: 'InvalidInput',
    says: /unknown field/,
    faults: [
      { field: 'spec.users[0].pass', message: 'There is no field "spec.users[0].pass" in this kind' },
      { field: 'spec.size', message: 'The field "spec.size" is given twice' },
    ],
  },
  {
    world: 'an object that is not there',
    code: 404,
    reason: 'NotFound',
    message: 'caches "c" not found',
    is: 'NotFound',
    says: /caches "c" not found/,
  },
  {
    world: 'an object that exists',
    code: 409,
    reason: 'AlreadyExists',
    message: 'caches "c" already exists',
    is: 'AlreadyExists',
    says: /it already exists/,
  },
  {
    world: 'a change in between',
    code: 409,
    reason: 'Conflict',
    message: 'the object has been modified',
    is: 'Conflict',
    says: /modified/,
  },
  {
    world: 'fields that others set',
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict: conflict with "kubectl": .spec.size',
    causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "kubectl"', field: '.spec.size' }],
    is: 'Conflict',
    says: /conflict with "kubectl"/,
    faults: [{ field: 'spec.size', message: 'conflict with "kubectl"' }],
  },
  { world: 'a version that is too old', code: 410, reason: 'Expired', message: 'too old resource version', is: 'Conflict', says: /410/ },
  {
    world: 'a body that is too large',
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'limit is 3145728',
    is: 'TooLarge',
    says: /limit/,
  },
  {
    world: 'too many requests',
    code: 429,
    reason: 'TooManyRequests',
    message: 'please try again later',
    is: 'TooManyRequests',
    says: /later/,
  },
  {
    world: 'a conversion webhook that does not answer',
    code: 500,
    message:
      'conversion webhook for a.example.com/v2, Kind=Vat failed: Post "https://conv.ops.svc:443/convert?timeout=30s": context deadline exceeded',
    is: 'WebhookUnavailable',
    says: /^create: the conversion webhook of Vat \(a\.example\.com\/v2\) does not answer: no answer within 30 s/,
  },
  {
    world: 'a webhook without endpoints',
    code: 500,
    reason: 'InternalError',
    message:
      'Internal error occurred: failed calling webhook "v.a.example": failed to call webhook: Post "https://v.ops.svc:443/?timeout=10s": no endpoints available for service "v"',
    is: 'WebhookUnavailable',
    says: /^create: the webhook "v\.a\.example" does not answer: no endpoints available for service "v"$/,
  },
  {
    world: 'a server in trouble',
    code: 500,
    reason: 'InternalError',
    message: 'etcd is away',
    is: 'ClusterUnavailable',
    says: /answered 500: etcd is away/,
  },
];

describe('an answer of the api-server', () => {
  for (const { world, code, reason, message, causes, is, says, faults } of CASES) {
    test(`${world} is ${is}`, () => {
      const body = stringifyJson({ kind: 'Status', status: 'Failure', code, reason, message, details: { causes } });
      const error = statusError({ what: 'create', permission: RIGHT }, { statusCode: code, headers: {} }, body);
      assert.equal(error.code, is);
      assert.match(error.message, says);
      assert.deepEqual(error.missing, is === 'Forbidden' ? RIGHT : undefined);
      if (faults !== undefined) assert.deepEqual(error.faults, faults);
    });
  }

  test('an APIService whose server does not answer is distinguished from an api-server in trouble', () => {
    const away = { statusCode: 503, headers: {} };
    const ofService = statusError({ what: 'list', path: '/apis/agg.example.com/v1/tubs' }, away, 'service unavailable\n');
    assert.deepEqual([ofService.code, ofService.retryAfter], ['WebhookUnavailable', undefined]);
    assert.match(ofService.message, /^list: the APIService v1\.agg\.example\.com does not answer/);
    assert.equal(statusError({ what: 'list', path: '/apis/apps/v1/deployments' }, away, 'shutting down').code, 'ClusterUnavailable');
  });

  test('a proxy that answers without a Status is reported by its words, cut short', () => {
    const error = statusError({ what: 'get' }, { statusCode: 502, headers: {} }, `Bad Gateway${'.'.repeat(5_000)}`);
    assert.equal(error.code, 'ClusterUnavailable');
    assert.ok(error.message.length < 400);
  });

  test('thousands of faults are a hundred and the word that there are more, whichever way they are reported', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `spec.k${index}`);
    const strict = `strict decoding error: ${names.map((name) => `unknown field "${name}"`).join(', ')}`;
    const causes = names.map((field) => ({ field, message: 'Forbidden' }));
    for (const status of [{ message: strict }, { message: 'it is invalid', reason: 'Invalid', details: { causes } }]) {
      const error = statusError({ what: 'create' }, { statusCode: 422, headers: {} }, JSON.stringify({ kind: 'Status', ...status }));
      assert.equal(error.faults.length, 101);
      assert.deepEqual(error.faults.at(-1), { message: 'There are more than 100 faults; correct these first' });
      assert.ok(error.message.length < 10_000, `${error.message.length} characters`);
    }
  });

  test('the seconds to wait come from the header, then from the Status, then are one', () => {
    const wait = (headers: Record<string, string>, details: object) =>
      statusError({ what: 'get' }, { statusCode: 429, headers }, stringifyJson({ kind: 'Status', details })).retryAfter;
    assert.deepEqual([wait({ 'retry-after': '7' }, { retryAfterSeconds: 3 }), wait({}, { retryAfterSeconds: 3 }), wait({}, {})], [7, 3, 1]);
  });
});
