import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { ATTACKED } from './people.ts';
import type { Target } from './target.ts';

// Helm acts on what its release records say, as the deployer of an environment: who can write them, and what follows from a record that somebody has written all the same.

const WEB_APPS = 'webapps.apps.chandlery.dev';
const POLICY = 'chandlery-environment-release-records';
/** With it, whoever may write records gives themselves any pod. */
const ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'stolen' },
  rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['create'] }],
};

export const attacks: readonly Attack[] = [
  {
    title: 'a developer writes a release record, by each mark that Helm or its storage goes by',
    run: async (target) => {
      await install(target, 'written');
      const record = await recordOf(target, 'written');
      const name = textAt(record, 'metadata', 'name') ?? '';
      const made = (metadata: object, more: object = {}): object => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: ATTACKED, ...metadata },
        ...more,
      });
      const created = [
        made({ name: 'a-type' }, { type: 'helm.sh/release.v1' }),
        made({ name: 'sh.helm.release.v1.invented.v1' }),
        made({ name: 'a-label', labels: { owner: 'helm', name: 'webapp-written', version: '9', status: 'deployed' } }),
      ];
      const apply = ['apply', '-f', '-'];
      const attempts = [
        ...['developer', 'maintainer'].flatMap((person) => created.map((object) => [person, apply, object] as const)),
        ['developer', ['replace', '-f', '-'], forged(record, 'test')],
        ['developer', ['delete', 'secret', name, '--namespace', ATTACKED], {}],
        ['developer', ['label', 'secret', name, '--namespace', ATTACKED, 'status=pending-upgrade', '--overwrite'], {}],
      ] as const;
      for (const [person, args, object] of attempts) {
        const { stderr } = await target.kubectl(person as 'developer', args, stringifyJson(object));
        assert.ok(stderr.includes(`ValidatingAdmissionPolicy '${POLICY}'`), `${args.join(' ')}: ${stderr}`);
      }
      return attempts.length;
    },
  },
  {
    title: 'a record was written all the same: its hooks run neither in a test nor in an uninstallation',
    run: async (target) => {
      for (const event of ['test', 'pre-delete'] as const) {
        const name = `hooked-${event}`;
        await install(target, name);
        await root(target, ['replace', '-f', '-'], stringifyJson(forged(await recordOf(target, name), event)));
        if (event === 'test')
          await ran(target, ['annotate', WEB_APPS, name, '--namespace', ATTACKED, 'chandlery.dev/test-at=now', '--overwrite']);
        else await ran(target, ['delete', WEB_APPS, name, '--namespace', ATTACKED, '--wait=false']);
        await eventually(
          async () => (await reasonOf(target, name)) === 'ReleaseRecordChanged',
          `the record of ${name} is not acted on`,
          60,
        );
        assert.equal(await root(target, ['get', 'role', 'stolen', '--namespace', ATTACKED, '--ignore-not-found', '-o', 'name']), '');
      }
      await ran(target, ['annotate', WEB_APPS, 'hooked-pre-delete', '--namespace', ATTACKED, 'chandlery.dev/forget-release=true']);
      await eventually(
        async () => (await root(target, ['get', WEB_APPS, 'hooked-pre-delete', '--namespace', ATTACKED, '--ignore-not-found'])) === '',
        'the instance is gone',
        60,
      );
      return 2;
    },
  },
];

async function install(target: Target, name: string): Promise<void> {
  const object = { apiVersion: 'apps.chandlery.dev/v1alpha1', kind: 'WebApp', metadata: { name, namespace: ATTACKED }, spec: {} };
  await ran(target, ['apply', '-f', '-'], stringifyJson(object));
  await eventually(async () => (await reasonOf(target, name)) === 'Deployed', `${name} is released`, 120);
  await eventually(
    async () => (await field(target, name, '{.status.recordDigests[0].hooks}')) === 'Run',
    `the digest of ${name} is kept`,
    60,
  );
}

async function reasonOf(target: Target, name: string): Promise<string> {
  return await field(target, name, '{.status.conditions[?(@.type=="Released")].reason}');
}

async function field(target: Target, name: string, path: string): Promise<string> {
  return await root(target, ['get', WEB_APPS, name, '--namespace', ATTACKED, `-o=jsonpath=${path}`]);
}

async function recordOf(target: Target, name: string): Promise<object> {
  const secret = `sh.helm.release.v1.webapp-${name}.v1`;
  return JSON.parse(await ran(target, ['get', 'secret', secret, '--namespace', ATTACKED, '-o', 'json'])) as object;
}

/** The record with one hook more. */
function forged(record: object, event: string): object {
  const packed = Buffer.from(Buffer.from(textAt(record, 'data', 'release') ?? '', 'base64').toString('latin1'), 'base64');
  const release = JSON.parse(gunzipSync(packed).toString('utf8')) as Record<string, unknown>;
  const hook = { name: 'stolen', kind: 'Role', path: 'a.yaml', manifest: stringifyJson(ROLE), events: [event] };
  const text = stringifyJson({ ...release, hooks: [...((release['hooks'] as unknown[] | null) ?? []), hook] });
  return { ...record, data: { release: Buffer.from(gzipSync(text).toString('base64')).toString('base64') } };
}

/** What a developer does by the permissions of the role. */
async function ran(target: Target, args: readonly string[], input?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await target.kubectl('developer', args, input);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

async function root(target: Target, args: readonly string[], input?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await target.kubectl('root', args, input);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}
