import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Manifest } from '../../charts/controller-runtime/kube-object.ts';
import { at, listAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import { renderChandlery, REQUIRED } from '../support/chandlery-chart.ts';

const NAMESPACE = 'chandlery';
const SPLIT = [...REQUIRED, 'database.urlSecret.name=db'];

/** Everything that the account of the pages may do by itself. Whoever controls its pod may do it, too, so a new line needs a reason in docs/security.md. */
const OF_WEB = [
  // The index of environments: no Secrets, no writes.
  'ClusterRole chandlery-viewer',
  'bind clusterroles.rbac.authorization.k8s.io chandlery-saved-configurations',
  'create subjectaccessreviews.authorization.k8s.io',
  'create tokenreviews.authentication.k8s.io',
  'create,patch rolebindings.rbac.authorization.k8s.io',
  'get,list,create namespaces',
  'get,list,watch appdefinitions.chandlery.dev',
  'get,list,watch apprevisions.chandlery.dev',
  'get,list,watch catalogsources.chandlery.dev',
  'get,list,watch chartarchives.chandlery.dev',
  'get,list,watch customresourcedefinitions.apiextensions.k8s.io',
  'get,list,watch environments.chandlery.dev',
  'get,list,watch operators.operatorcontroller.kubeplus',
  'list apiservices.apiregistration.k8s.io',
  'list mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'list nodes',
  'list validatingwebhookconfigurations.admissionregistration.k8s.io',
  'update savedconfigurationnamespaces.chandlery.dev',
];

/** What it may do as a person, on top of that, until the tokens of people pass through. */
const FOR_PEOPLE = [
  'impersonate:user-info groups.authentication.k8s.io',
  'impersonate:user-info users.authentication.k8s.io',
  'on create localsubjectaccessreviews.authorization.k8s.io',
  'on create pods',
  'on create pods/eviction',
  'on create selfsubjectaccessreviews.authorization.k8s.io',
  'on create selfsubjectrulesreviews.authorization.k8s.io',
  'on create serviceaccounts/token',
  'on create subjectaccessreviews.authorization.k8s.io',
  'on create,update,patch,delete *.chandlery.dev',
  'on create,update,patch,delete *.gitlabdeploymentcontroller.gitlab.com',
  'on create,update,patch,delete *.operatorcontroller.kubeplus',
  'on create,update,patch,delete *.workflows.kubeplus',
  'on create,update,patch,delete configmaps',
  'on create,update,patch,delete secrets',
  'on delete jobs.batch',
  'on get,list,watch *.*',
  'on patch cronjobs.batch',
  'on patch daemonsets.apps',
  'on patch deployments.apps',
  'on patch statefulsets.apps',
  'on patch,update deployments/scale.apps',
  'on patch,update statefulsets/scale.apps',
];

/** Powers that make an account as powerful as the cluster. Only the controllers have them. */
const ONLY_CONTROLLERS = ['escalate', 'bind', 'impersonate:serviceaccount', 'delete'];

describe('The accounts of Chandlery with a database', () => {
  it('are two, of which that of the pages reads the catalogue and writes nothing but namespaces of saved configurations', async () => {
    const manifests = await rendered(SPLIT, 'oidc.userIdentity=PassThrough');
    assert.deepEqual(permissionsOf(manifests, 'chandlery'), OF_WEB);
    const controller = permissionsOf(manifests, 'chandlery-controller');
    for (const verb of ONLY_CONTROLLERS)
      assert.ok(
        controller.some((one) => verbsOf(one).includes(verb)),
        verb,
      );
    assert.equal(
      controller.some((one) => one.includes('impersonate:user-info')),
      false,
    );
  });

  it('act for people by impersonation unless tokens pass through, the pages for what they do and never as a service account', async () => {
    const web = permissionsOf(await rendered(SPLIT, 'rbac.impersonation.everybody=true'), 'chandlery');
    assert.deepEqual(
      web.filter((one) => !OF_WEB.includes(one)),
      FOR_PEOPLE,
    );
    const limited = permissionsOf(
      await rendered(SPLIT, 'rbac.impersonation.users={oidc:ada}', 'rbac.impersonation.groups={oidc:team-a,oidc:platform}'),
      'chandlery',
    ).filter((one) => one.startsWith('impersonate'));
    assert.deepEqual(limited, [
      'impersonate:user-info groups.authentication.k8s.io chandlery:signed-in,oidc:platform,oidc:team-a',
      'impersonate:user-info users.authentication.k8s.io oidc:ada',
    ]);
    await assert.rejects(rendered(SPLIT), /the account of the pages could act as everybody, cluster-admins included/);
    await assert.rejects(rendered(SPLIT, 'rbac.impersonation.groups={oidc:team-a}'), /list both users and groups, or neither/);
    await assert.rejects(rendered(SPLIT, 'rbac.impersonation.users={a}', 'rbac.impersonation.groups={system:masters}'), /system:/);
  });

  it('read Secrets that the values list alone, where the pages are concerned', async () => {
    const values = ['rbac.webSecrets[0].namespace=chandlery-system', 'rbac.webSecrets[0].name=git', 'oidc.userIdentity=PassThrough'];
    const web = permissionsOf(await rendered(SPLIT, ...values), 'chandlery');
    assert.deepEqual(
      web.filter((one) => !OF_WEB.includes(one)),
      ['chandlery-system: get secrets git'],
    );
  });

  it('are one without a database', async () => {
    const manifests = await rendered(REQUIRED);
    assert.deepEqual(
      manifests.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name),
      ['chandlery'],
    );
    assert.equal(
      manifests.some(({ metadata }) => metadata.name === 'chandlery-web'),
      false,
    );
  });
});

async function rendered(values: readonly string[], ...more: readonly string[]): Promise<readonly Manifest[]> {
  return await renderChandlery([...values, ...more], { namespace: NAMESPACE, args: ['--kube-version', '1.36.0'] });
}

/** `[namespace: ]verbs resource.group[ names]` of every rule that is bound to a service account, sorted. */
function permissionsOf(manifests: readonly Manifest[], account: string): readonly string[] {
  const isBound = (binding: Manifest): boolean => listAt(binding, 'subjects').some((subject) => textAt(subject, 'name') === account);
  const bindings = manifests.filter((one) => /^(Cluster)?RoleBinding$/.test(one.kind) && isBound(one));
  const found = bindings.flatMap((binding) => {
    const { namespace } = binding.metadata;
    const isRole = ({ kind, metadata }: Manifest): boolean =>
      kind === textAt(binding, 'roleRef', 'kind') &&
      metadata.name === textAt(binding, 'roleRef', 'name') &&
      metadata.namespace === namespace;
    const roles = manifests.filter(isRole);
    // The controllers apply the roles of people themselves.
    if (roles.length === 0) return [`${textAt(binding, 'roleRef', 'kind') ?? ''} ${textAt(binding, 'roleRef', 'name') ?? ''}`];
    return roles.flatMap((role) => rulesOf(manifests, role)).flatMap((rule) => linesOf(rule, namespace));
  });
  return [...new Set(found)].sort();
}

function rulesOf(manifests: readonly Manifest[], role: Manifest): readonly unknown[] {
  const selectors = listAt(role, 'aggregationRule', 'clusterRoleSelectors').map((one) => Object.entries(at(one, 'matchLabels') as object));
  const isSelected = ({ kind, metadata: { labels = {} } }: Manifest): boolean =>
    kind === 'ClusterRole' && selectors.some((labelled) => labelled.every(([key, value]) => labels[key] === value));
  return [...listAt(role, 'rules'), ...manifests.filter(isSelected).flatMap((one) => listAt(one, 'rules'))];
}

function linesOf(rule: unknown, namespace: string | undefined): readonly string[] {
  const verbs = textsAt(rule, 'verbs').join().replaceAll('impersonate-on:user-info:', '');
  const isOn = textsAt(rule, 'verbs').some((verb) => verb.startsWith('impersonate-on:'));
  const names = textsAt(rule, 'resourceNames').join();
  const place = namespace === undefined ? '' : `${namespace}: `;
  return textsAt(rule, 'apiGroups').flatMap((group) =>
    textsAt(rule, 'resources').map((resource) => {
      const what = group === '' ? resource : `${resource}.${group}`;
      return `${place}${isOn ? 'on ' : ''}${verbs} ${what}${names === '' ? '' : ` ${names}`}`;
    }),
  );
}

function verbsOf(permission: string): readonly string[] {
  return (permission.split(' ')[0] ?? '').split(',');
}
