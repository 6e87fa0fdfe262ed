import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Manifest } from '../../charts/controller-runtime/kube-object.ts';
import { parseConfig } from '../../src/config.ts';
import { at, listAt } from '../../src/domain/core/read.ts';
import { READY_TIMEOUT_MS } from '../../src/http/probes.ts';
import { openKeyFile } from '../../src/store/key-file.ts';
import { renderChandlery, REQUIRED } from '../support/chandlery-chart.ts';

const NAMESPACE = 'chandlery-system';
const DATABASE = ['database.urlSecret.name=db', 'oidc.userIdentity=PassThrough'];

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chandlery-chart-'));
});
after(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function rendered(values: readonly string[], ...args: readonly string[]): Promise<readonly Manifest[]> {
  return await renderChandlery(values, { namespace: NAMESPACE, args });
}

describe('What the chart of Chandlery renders', () => {
  it('renders settings that Chandlery itself accepts', async () => {
    const settings = (await rendered([...REQUIRED, 'charts.imageRewrites.docker\\.io/=mirror.example.com/hub/'])).find(
      ({ metadata }) => metadata.name === 'chandlery-settings',
    );
    // The folder of the catalogue is a mount of the pod.
    const data = { ...settings?.data, CHANDLERY_CATALOG: folder };
    const config = parseConfig([], data);
    assert.deepEqual(config.cluster, { kind: 'in-cluster' });
    assert.equal(config.publicUrl?.href, 'https://apps.example.com/');
    assert.equal(config.listen, '0.0.0.0');
    assert.deepEqual(config.imageRewrites, [{ prefix: 'docker.io', target: 'mirror.example.com/hub' }]);
    assert.ok(config.otherHosts.includes(`chandlery.${NAMESPACE}.svc`), 'programs in the cluster call the Service');
  });

  it('waits longer for a probe than Chandlery takes to answer it', async () => {
    const deployment = (await rendered(REQUIRED)).find(({ kind }) => kind === 'Deployment');
    const [container] = listAt(at(deployment?.spec, 'template', 'spec'), 'containers');
    const timeout = Number(at(container, 'readinessProbe', 'timeoutSeconds'));
    assert.ok(timeout * 1000 >= READY_TIMEOUT_MS + 1_000, `${timeout} s`);
  });

  it('is rejected without an address and an issuer', async () => {
    await assert.rejects(rendered([]), /publicUrl/);
  });

  it('makes sealing keys that Chandlery reads, once, and keeps those that are there', async () => {
    const [secret] = (await rendered([...REQUIRED, ...DATABASE])).filter(({ kind }) => kind === 'Secret');
    const file = join(folder, 'keys.json');
    await writeFile(file, Buffer.from(String(at(secret, 'data', 'keys.json')), 'base64'));
    const { keys, close } = await openKeyFile({ file, missing: 'fail' });
    close();
    assert.equal(keys().length, 1);
    const own = await rendered([...REQUIRED, ...DATABASE, 'keys.existingSecret=ours']);
    assert.equal(own.filter(({ kind }) => kind === 'Secret').length, 0);
  });

  it('may impersonate no ServiceAccount but the deployers of Environments, the observer and those that its values name for sources', async () => {
    const impersonated = (objects: readonly Manifest[]): unknown[] =>
      objects
        .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
        .flatMap(({ metadata, rules }) =>
          listAt(rules)
            .filter((rule) => listAt(rule, 'verbs').some((verb) => verb === 'impersonate' || verb === 'impersonate:serviceaccount'))
            .filter((rule) => listAt(rule, 'resources').includes('serviceaccounts'))
            .map((rule) => [metadata.namespace, at(rule, 'resourceNames')]),
        );
    const deployer = [undefined, ['chandlery-deployer', 'chandlery-observer']];
    assert.deepEqual(impersonated(await rendered(REQUIRED)), [deployer]);
    const named = ['a.deployer', 'b.deployer', 'a.builder'].flatMap((account, index) => {
      const [namespace, name] = account.split('.');
      return [`rbac.sourceServiceAccounts[${index}].namespace=${namespace}`, `rbac.sourceServiceAccounts[${index}].name=${name}`];
    });
    assert.deepEqual(impersonated(await rendered([...REQUIRED, ...named])), [
      deployer,
      ['a', ['builder', 'deployer']],
      ['b', ['deployer']],
    ]);
  });

  it('impersonates without constraints where the cluster or its values ask for it', async () => {
    const verbs = async (...args: readonly string[]): Promise<readonly unknown[]> => {
      return (await rendered(REQUIRED, ...args))
        .flatMap((role) => listAt(role.rules).filter((rule) => listAt(rule, 'resources').includes('users')))
        .map((rule) => at(rule, 'verbs'));
    };
    assert.deepEqual(await verbs('--kube-version', '1.36.0'), [['impersonate:user-info']]);
    assert.deepEqual(await verbs('--kube-version', '1.35.4'), [['impersonate']]);
    assert.deepEqual(await verbs('--kube-version', '1.36.0', '--set', 'rbac.impersonation.mode=Legacy'), [['impersonate']]);
    assert.deepEqual(
      await verbs('--kube-version', '1.36.0', '--set', 'oidc.userIdentity=PassThrough'),
      [],
      'tokens of people pass through',
    );
  });
});
