import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outOfScope, type ReleaseScope } from '../../../../src/domain/app-instance/release-scope.ts';
import { instanceLabelValue, releaseNameOf } from '../../../../src/domain/app-instance/instance.ts';
import { parseRendered } from '../../../../src/domain/kubernetes/manifest.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { transform } from '../../../../src/helm/transform.ts';

const SCOPE: ReleaseScope = {
  namespace: 'shop',
  namespacedKinds: new Set([
    '/ConfigMap',
    '/Pod',
    '/PodTemplate',
    '/ServiceAccount',
    'apps/ControllerRevision',
    'batch/Job',
    'batch/CronJob',
    'apps/Deployment',
    'rbac.authorization.k8s.io/Role',
    'rbac.authorization.k8s.io/RoleBinding',
  ]),
  clusterKinds: new Set(['/Namespace', 'rbac.authorization.k8s.io/ClusterRole']),
  allowed: [{ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' }],
};

function object(
  apiVersion: string,
  kind: string,
  more: Partial<KubeObject> & { namespace?: string; annotations?: Record<string, string> } = {},
): KubeObject {
  const { namespace, annotations, ...rest } = more;
  const metadata = { name: 'a', ...(namespace === undefined ? {} : { namespace }), ...(annotations === undefined ? {} : { annotations }) };
  return { apiVersion, kind, metadata, ...rest };
}

const podOf = (account: string) => ({ template: { spec: { serviceAccountName: account } } });
const RBAC = 'rbac.authorization.k8s.io/v1';
const HOOK = { annotations: { 'helm.sh/hook': 'pre-install' } };

describe('the scope of a release', () => {
  const cases: readonly (readonly [title: string, objects: readonly KubeObject[], fault: RegExp | undefined])[] = [
    ['objects without a namespace are of the release', [object('v1', 'ConfigMap')], undefined],
    ['so are those that name its namespace', [object('v1', 'ConfigMap', { namespace: 'shop' })], undefined],
    ['those of another namespace are not', [object('v1', 'ConfigMap', { namespace: 'other' })], /in namespace other, not in shop/],
    ['cluster-scoped kinds are not', [object('v1', 'Namespace')], /it is cluster-scoped; add Namespace to spec\.allowedResources/],
    [
      'a kind that the cluster does not serve is named as such, and nothing is to be allowed',
      [object('gateway.networking.k8s.io/v1', 'HTTPRoute')],
      /^HTTPRoute "a": this cluster does not serve HTTPRoute of gateway\.networking\.k8s\.io\/v1; install what serves it, or switch the object off in the values of the chart$/,
    ],
    ['a kind of the same name in another group is another kind', [object('example.com/v1', 'ConfigMap')], /does not serve ConfigMap of/],
    ['allowed kinds may be cluster-scoped', [object('rbac.authorization.k8s.io/v1', 'ClusterRole')], undefined],
    ['CRDs cannot be allowed', [object('apiextensions.k8s.io/v1', 'CustomResourceDefinition')], /cannot install a CRD/],
    ['an empty list is an object of its own, and not served', [object('v1', 'ConfigMapList')], /not a list/],
    ['a workload may use an account that is there', [object('apps/v1', 'Deployment', { spec: podOf('mine') })], undefined],
    ['no workload may use a reserved one', [object('apps/v1', 'Deployment', { spec: podOf('chandlery-x') })], /reserved/],
    [
      'by its old name neither',
      [object('apps/v1', 'Deployment', { spec: { template: { spec: { serviceAccount: 'chandlery-deployer' } } } })],
      /reserved/,
    ],
    [
      'nor by its old name beside an empty new one',
      [object('v1', 'Pod', { spec: { serviceAccountName: '', serviceAccount: 'chandlery-deployer' } })],
      /reserved/,
    ],
    ['nor a template of pods', [object('v1', 'PodTemplate', { template: podOf('chandlery-x').template })], /reserved/],
    ['nor a revision of one', [object('apps/v1', 'ControllerRevision', { data: { spec: podOf('chandlery-x') } })], /reserved/],
    ['a hook may not use an account that is there', [object('batch/v1', 'Job', { ...HOOK, spec: podOf('mine') })], /a hook cannot run as/],
    [
      'nor may one that runs on a schedule',
      [object('batch/v1', 'CronJob', { ...HOOK, spec: { jobTemplate: { spec: podOf('mine') } } })],
      /a hook/,
    ],
    [
      'it may use one of the release',
      [object('v1', 'ServiceAccount'), object('batch/v1', 'Job', { ...HOOK, spec: podOf('a') })],
      undefined,
    ],
    [
      'nobody makes the account of releases anew',
      [{ ...object('v1', 'ServiceAccount'), metadata: { name: 'chandlery-deployer' } }],
      /reserved/,
    ],
    [
      'a Role of the name that the Role of another app will have',
      [{ ...object(RBAC, 'Role'), metadata: { name: 'chandlery-deployer-other' } }],
      /names that begin with chandlery- are reserved/,
    ],
    [
      'a RoleBinding to such a Role, before it exists',
      [object(RBAC, 'RoleBinding', { roleRef: { kind: 'Role', name: 'chandlery-deployer-other' } })],
      /it grants the Role chandlery-deployer-other/,
    ],
  ];
  for (const [title, objects, fault] of cases) {
    it(title, () => {
      const faults = outOfScope(objects, SCOPE);
      if (fault === undefined) assert.deepEqual(faults, []);
      else assert.match(faults.join('; '), fault);
    });
  }

  it('takes a namespace that a template left empty for that of the release, as Kubernetes does', () => {
    const empty = ['null', '""', '~'].map(
      (text) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ${text}, labels: null}\n`,
    );
    const objects = parseRendered(empty.join('---\n'));
    assert.deepEqual(
      objects.map(({ metadata }) => metadata),
      [{ name: 'a' }, { name: 'a' }, { name: 'a' }],
    );
    assert.deepEqual(outOfScope(objects, SCOPE), []);
  });

  it('is checked by the post-renderer in the items of lists, too', () => {
    const item = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', namespace: 'other' } };
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'ConfigMapList', items: [item] }] });
    assert.throws(() => transform(list, { mode: 'uplift', scope: SCOPE }), {
      code: 'ResourceNotAllowed',
      message: /ConfigMap "b": it is in namespace other/,
    });
    assert.ok(transform(list, { mode: 'uplift' }).includes('other'));
  });
});

it('names releases so that Helm takes them, and long names stay apart', () => {
  const kind = { singular: 'webapp', resource: 'webapps' };
  assert.equal(releaseNameOf(kind, 'shop'), 'webapp-shop');
  const [one, two] = ['1', '2'].map((end) => `${'a'.repeat(60)}${end}`) as [string, string];
  assert.equal(releaseNameOf(kind, one).length, 53);
  assert.notEqual(releaseNameOf(kind, one), releaseNameOf(kind, two));
  assert.ok(instanceLabelValue(kind, one).length <= 63);
});
