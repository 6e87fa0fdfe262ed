import assert from 'node:assert/strict';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { ATTACKED, FOREIGN, type PersonName } from './people.ts';
import type { Target } from './target.ts';

// Change requests by kubectl: who asks, who decides, and with whose permissions the instance is written.

const APP = 'caches.samples.chandlery.dev';
const IN_ATTACKED = ['--namespace', ATTACKED];

export const attacks: readonly Attack[] = [
  {
    title: 'somebody requests a change in the name of somebody else, with groups of others, with a decision, or where they are nobody',
    run: async (target) => {
      const tries: readonly (readonly [PersonName, object, RegExp])[] = [
        ['viewer', request('forged', { requester: { user: 'oidc:maintainer' } }), /only you can be the requester/],
        [
          'viewer',
          request('forged', { requester: { user: 'oidc:viewer', groups: ['oidc:maintainers'] } }),
          /only you can be the requester/,
        ],
        ['admin', request('forged', { requester: { user: 'oidc:viewer' } }), /cannot create|only you can be the requester/],
        ['viewer', request('forged', { decision: decisionOf('viewer', 'Approved') }), /has no decision/],
        ['stranger', request('forged', { requester: { user: 'oidc:stranger' } }), /cannot create/],
        ['neighbour', request('forged', { requester: { user: 'oidc:neighbour' } }), /cannot create/],
        ['viewer', { ...request('forged'), metadata: { name: 'forged', namespace: ATTACKED, finalizers: ['a.b/c'] } }, /no finalizers/],
      ];
      for (const [person, object, why] of tries) {
        assert.match((await target.kubectl(person, ['create', '-f', '-'], stringifyJson(object))).stderr, why, `${person}: ${String(why)}`);
      }
      const asRoot = await target.kubectl('root', ['create', '-f', '-'], stringifyJson(request('forged')));
      assert.match(asRoot.stderr, /only you can be the requester/, 'nobody is exempt');
      return tries.length + 1;
    },
  },
  {
    title: 'somebody approves or declines a request without the permission, their own one, or in the name of an approver',
    run: async (target) => {
      await create(target, 'viewer', 'wanted');
      await create(target, 'developer', 'own');
      const tries: readonly (readonly [PersonName, string, object, RegExp])[] = [
        ['viewer', 'wanted', decisionOf('viewer', 'Approved'), /needs the verb approve/],
        ['viewer', 'wanted', decisionOf('viewer', 'Declined'), /needs the verb approve/],
        ['viewer', 'wanted', decisionOf('maintainer', 'Approved'), /only you can decide for yourself/],
        ['viewer', 'wanted', { ...decisionOf('viewer', 'Approved'), groups: ['oidc:maintainers'] }, /only you can decide for yourself/],
        ['viewer', 'own', decisionOf('viewer', 'Withdrawn'), /only the requester withdraws/],
        ['developer', 'own', decisionOf('developer', 'Approved'), /nobody approves their own/],
        ['developer', 'wanted', decisionOf('maintainer', 'Approved'), /only you can decide for yourself/],
        ['developer', 'wanted', { ...decisionOf('developer', 'Approved'), groups: ['system:authenticated'] }, /begin with system:/],
        ['developer', 'wanted', { ...decisionOf('developer', 'Approved'), groups: [] }, /at least one of your groups/],
        ['neighbour', 'wanted', decisionOf('neighbour', 'Approved'), /cannot (get|patch)/],
        ['stranger', 'wanted', decisionOf('stranger', 'Approved'), /cannot (get|patch)/],
        ['admin', 'wanted', decisionOf('admin', 'Approved'), /cannot (get|patch)/],
      ];
      for (const [person, name, decision, why] of tries) {
        const { stderr } = await patch(target, person, { name, spec: { decision } });
        assert.match(stderr, why, `${person} decides ${name}: ${stringifyJson(decision)}`);
      }
      const status = ['patch', 'changerequest', 'wanted', ...IN_ATTACKED, '--subresource=status', '--type=merge'];
      for (const person of ['viewer', 'developer', 'maintainer'] as const) {
        const { stderr } = await target.kubectl(person, [...status, '--patch', '{"status":{"phase":"Approved"}}']);
        assert.match(stderr, /changerequests\/status/, `${person} writes the status`);
      }
      assert.match((await cacheOf(target, 'wanted')).stderr, /not found/);
      return tries.length + 3;
    },
  },
  {
    title: 'a request is another one after it was approved than before, or is decided twice',
    run: async (target) => {
      await create(target, 'viewer', 'edited');
      const before = ['content', 'name', 'app', 'requester', 'message', 'otherFields'].map((field) => ({ [field]: edits[field] }));
      for (const person of ['viewer', 'developer', 'maintainer'] as const) {
        for (const spec of before)
          assert.match((await patch(target, person, { name: 'edited', spec })).stderr, /immutable/, stringifyJson(spec));
      }
      const both = { content: edits['content'], decision: decisionOf('developer', 'Approved') };
      assert.match((await patch(target, 'developer', { name: 'edited', spec: both })).stderr, /immutable/);
      const owner = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '11111111-1111-1111-1111-111111111111' }];
      const collected = ['patch', 'changerequest', 'edited', ...IN_ATTACKED, '--type=merge', '--patch'];
      const { stderr } = await target.kubectl('viewer', [...collected, JSON.stringify({ metadata: { ownerReferences: owner } })]);
      assert.match(stderr, /owners cannot change/, 'a viewer has the garbage collector delete it');
      assert.equal(
        (await patch(target, 'developer', { name: 'edited', spec: { decision: decisionOf('developer', 'Approved') } })).exitCode,
        0,
      );
      const after = [...before, { decision: decisionOf('maintainer', 'Declined') }, { decision: null }];
      for (const spec of after)
        assert.match((await patch(target, 'maintainer', { name: 'edited', spec })).stderr, /immutable/, stringifyJson(spec));
      await eventually(async () => (await phaseOf(target, 'edited')) === 'Applied', 'the request is applied', 30);
      const { stdout } = await cacheOf(target, 'edited');
      const live: unknown = JSON.parse(stdout);
      assert.deepEqual(
        [textAt(live, 'spec', 'memory'), textAt(live, 'metadata', 'annotations', 'chandlery.dev/approved-by')],
        ['64Mi', 'oidc:developer'],
      );
      return before.length * 3 + after.length + 2;
    },
  },
  {
    title: 'somebody with the verb approve alone has an instance written that they may not write',
    run: async (target) => {
      const metadata = { name: 'approves', namespace: ATTACKED };
      const apiGroup = 'rbac.authorization.k8s.io';
      const rules = [{ apiGroups: ['chandlery.dev'], resources: ['changerequests'], verbs: ['get', 'patch', 'approve'] }];
      const subjects = [{ kind: 'User', apiGroup, name: 'oidc:viewer' }];
      const roleRef = { apiGroup, kind: 'Role', name: 'approves' };
      const rights = [
        { apiVersion: `${apiGroup}/v1`, kind: 'Role', metadata, rules },
        { apiVersion: `${apiGroup}/v1`, kind: 'RoleBinding', metadata, subjects, roleRef },
      ];
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: rights });
      assert.equal((await target.kubectl('root', ['apply', '-f', '-'], list)).exitCode, 0);
      await create(target, 'developer', 'deputy');
      assert.equal((await patch(target, 'viewer', { name: 'deputy', spec: { decision: decisionOf('viewer', 'Approved') } })).exitCode, 0);
      await eventually(async () => (await phaseOf(target, 'deputy')) === 'Failed', 'the request fails', 30);
      assert.match((await cacheOf(target, 'deputy')).stderr, /not found/);
      assert.equal((await target.kubectl('root', ['delete', 'role,rolebinding', 'approves', ...IN_ATTACKED])).exitCode, 0);
    },
  },
  {
    title: 'a request with a password, which nobody but kubectl takes, stays open for approval',
    run: async (target) => {
      const secret = request('leaking', { requester: { user: 'oidc:viewer', groups: ['oidc:viewers'] }, content: { password: 'hunter2' } });
      assert.equal((await target.kubectl('viewer', ['create', '-f', '-'], stringifyJson(secret))).exitCode, 0);
      await eventually(async () => (await phaseOf(target, 'leaking')) === 'Declined', 'the request is declined', 30);
    },
  },
  {
    title: 'people read the change requests of environments that are not theirs',
    run: async (target) => {
      const object = request('theirs', { requester: { user: 'oidc:neighbour' } });
      const theirs = { ...object, metadata: { name: 'theirs', namespace: FOREIGN } };
      assert.equal((await target.kubectl('neighbour', ['create', '-f', '-'], JSON.stringify(theirs))).exitCode, 0);
      const people = ['stranger', 'viewer', 'developer', 'maintainer', 'admin'] as const;
      for (const person of people) {
        assert.match((await target.kubectl(person, ['get', 'changerequests', '--namespace', FOREIGN])).stderr, /cannot list/, person);
        assert.equal((await target.call(person, `/api/v1/change-requests/${FOREIGN}.theirs`)).status, 404, person);
        for (const query of ['', '?awaitingApproval=true']) {
          assert.doesNotMatch((await target.call(person, `/api/v1/change-requests${query}`)).text, /theirs/, person);
        }
      }
      return people.length * 4;
    },
  },
];

const edits: Readonly<Record<string, unknown>> = {
  content: { memory: '4Gi' },
  name: 'another',
  app: 'postgresclusters.samples.chandlery.dev',
  requester: { user: 'oidc:maintainer' },
  message: 'another',
  otherFields: { metadata: {} },
};

function request(name: string, spec: object = {}): object {
  return {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'ChangeRequest',
    metadata: { name, namespace: ATTACKED },
    spec: { action: 'Install', app: APP, name, content: { memory: '64Mi' }, requester: { user: 'oidc:viewer' }, ...spec },
  };
}

function decisionOf(person: PersonName, verdict: 'Approved' | 'Declined' | 'Withdrawn'): object {
  return { verdict, by: `oidc:${person}`, groups: [`oidc:${person}s`] };
}

async function create(target: Target, person: PersonName, name: string): Promise<void> {
  const object = request(name, { requester: { user: `oidc:${person}`, groups: [`oidc:${person}s`] } });
  const { exitCode, stderr } = await target.kubectl(person, ['create', '-f', '-'], stringifyJson(object));
  assert.equal(exitCode, 0, stderr);
}

async function patch(
  target: Target,
  person: PersonName,
  { name, spec }: { readonly name: string; readonly spec: object },
): ReturnType<Target['kubectl']> {
  return await target.kubectl(person, ['patch', 'changerequest', name, ...IN_ATTACKED, '--type=merge', '--patch', stringifyJson({ spec })]);
}

async function phaseOf(target: Target, name: string): Promise<string> {
  return (await target.kubectl('root', ['get', 'changerequest', name, ...IN_ATTACKED, '-o', 'jsonpath={.status.phase}'])).stdout;
}

async function cacheOf(target: Target, name: string): ReturnType<Target['kubectl']> {
  return await target.kubectl('root', ['get', APP, name, ...IN_ATTACKED, '-o', 'json']);
}
