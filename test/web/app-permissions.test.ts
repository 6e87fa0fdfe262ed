import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Browser } from 'playwright-core';
import { parse } from 'yaml';
import { isAppError } from '../../src/domain/core/errors.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { parseActor } from '../../src/domain/kubernetes/actor.ts';
import { type Cluster, ifFound } from '../../src/domain/kubernetes/cluster.ts';
import {
  APP_DEFINITION,
  CRD,
  DEPLOYMENT,
  ROLE,
  ROLE_BINDING,
  SECRET,
  SERVICE_ACCOUNT,
} from '../../src/domain/kubernetes/resource-types.ts';
import { conditionsOf as conditionsOfObject, findCondition } from '../../src/domain/kubernetes/condition.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openBrowser } from '../support/browser.ts';
import { type ChartFiles, packChart } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import { openKube } from '../support/open-kube.ts';
import { PERMISSION_RULES } from '../support/permission-rules.ts';
import { until } from '../support/product.ts';
import { RUN } from '../support/run-name.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

const [HOME, GROUP] = [`beacons-${RUN}`, `lights${RUN}.example.com`];
const LAMP = { group: GROUP, version: 'v1', resource: 'lamps' };
const ACCOUNT = (name: string): string => `chandlery-deployer-${name}`;

/** Makes a Lamp, and a Role over lamps: no deployer may do either by itself. */
const BEACON: ChartFiles = {
  'values.yaml': 'text: a\n',
  'templates/all.yaml': `apiVersion: ${GROUP}/v1
kind: Lamp
metadata: {name: {{ .Release.Name }}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: {{ .Release.Name }}}
rules: [{apiGroups: [${GROUP}], resources: [lamps], verbs: [get, list, watch, update]}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .Release.Name }}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: {{ .Release.Name }}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .Release.Name }}}
subjects: [{kind: ServiceAccount, name: {{ .Release.Name }}}]
`,
};

describe('permissions of an app', { timeout: 600_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  let kube: Kube;
  let cluster: Cluster;
  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    kube = openKube(product.kubeconfigPath);
    cluster = kube.asController();
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const names = { kind: 'Lamp', plural: 'lamps', singular: 'lamp' };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const spec = { group: GROUP, scope: 'Namespaced', names, versions };
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `lamps.${GROUP}` }, spec };
    await cluster.create(CRD, crd);
    await addEnvironment(product, HOME);
  });
  after(async () => {
    await rm(join(product.catalogDir, `environments/${HOME}.yaml`), { force: true });
    await cluster.delete({ ...CRD, name: `lamps.${GROUP}` });
    await browser.close();
    await kube.close();
    await product.stop();
  });

  const pack = async (name: string): Promise<void> => {
    const files = { ...BEACON, 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n` };
    await writeFile(join(product.chartsDir, `${name}-1.0.0.tgz`), await packChart(name, files));
  };
  const idOf = (name: string): string => `${name}s.apps.chandlery.dev`;
  const untilOffered = async (name: string): Promise<void> =>
    await until(
      async () => textAt((await product.api('dev-a', `/apps/${idOf(name)}`)).body, 'availability') === 'Available',
      `${name} is offered`,
      120_000,
    );
  const instances = `/environments/${HOME}/instances`;
  const check = async (name: string, instance = 'one'): Promise<unknown> => {
    const body = { app: idOf(name), name: instance, spec: {} };
    return (await product.api('dev-a', `${instances}?dryRun=All`, { method: 'POST', body })).body;
  };
  const install = async (name: string): Promise<void> => {
    const body = { app: idOf(name), name: 'one', spec: {} };
    const { status } = await product.api('dev-a', instances, { method: 'POST', body });
    assert.ok(status < 300, `${name} is installed, not ${status}`);
  };
  const conditionsOf = async (name: string): Promise<readonly unknown[]> =>
    listAt((await product.api('dev-a', `${instances}/${idOf(name)}/one`)).body, 'object', 'status', 'conditions');
  const isReady = async (name: string): Promise<boolean> =>
    (await conditionsOf(name)).some((one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True');
  /** The condition of the AppDefinition. @returns its message. */
  const untilInstallable = async (name: string, reason: string): Promise<string> =>
    await eventually(async () => {
      const found = findCondition(conditionsOfObject(await cluster.get({ ...APP_DEFINITION, name })), 'Installable');
      return found?.reason === reason ? found.message : undefined;
    }, `${name} has the condition Installable with the reason ${reason}`);
  const mayPatchLamps = async (account: string): Promise<boolean> => {
    const { allowed } = await kube
      .asServiceAccount({ namespace: HOME, name: account })
      .review({ verb: 'patch', group: GROUP, resource: 'lamps', namespace: HOME });
    return allowed;
  };
  const removeDefinition = async (name: string): Promise<void> => {
    await cluster.delete({ ...APP_DEFINITION, name });
    await eventually(
      async () => ((await ifFound(cluster.get({ ...APP_DEFINITION, name }))) === undefined ? true : undefined),
      `the AppDefinition ${name} is gone`,
    );
  };
  const untilGone = async (name: string): Promise<void> => {
    const objects = [SERVICE_ACCOUNT, ROLE, ROLE_BINDING].map((type) => ({ ...type, namespace: HOME, name: ACCOUNT(name) }));
    const bindings = async (): Promise<readonly string[]> =>
      (await cluster.listMetadata(ROLE_BINDING, { namespace: HOME })).items.map((item) => item.metadata.name);
    await eventually(async () => {
      for (const ref of objects) if ((await ifFound(cluster.get(ref))) !== undefined) return undefined;
      return (await bindings()).every((one) => !one.startsWith(ACCOUNT(name))) ? true : undefined;
    }, `the account of ${name} is gone`);
  };

  const granted = `beacon${RUN}`;

  it('are granted by one click when it is offered, without JavaScript, to its releases alone', async () => {
    const name = granted;
    await pack(name);
    const { page, check: checkPage, close } = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    await page.goto(`/admin/app-definitions/new?repoURL=file://samples&name=${name}`);
    await page.getByText('Permissions that the deployer lacks').waitFor();
    await checkPage();
    await page.getByRole('link', { name: 'Grant them in the file' }).click();
    const file = page.locator('[name="manifest"]');
    await file.waitFor();
    const text = await file.inputValue();
    assert.match(text, /permissions:\n {4}- apiGroups:\n {8}- lights.*\n {6}resources:\n {8}- lamps\n {6}verbs:\n/);
    assert.doesNotMatch(text, /'\*'/);
    await checkPage();
    await page.getByRole('button', { name: 'Check it' }).click();
    await page.getByRole('button', { name: 'Offer the chart' }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(name, 'i') }).waitFor();
    await close();
    await untilOffered(name);

    const checked = await check(name);
    assert.deepEqual([textAt(checked, 'verdict'), listAt(checked, 'findings', 'blocked')], ['Ready', []]);
    assert.equal(await ifFound(cluster.get({ ...SERVICE_ACCOUNT, namespace: HOME, name: ACCOUNT(name) })), undefined, 'no instance yet');
    await install(name);
    await until(async () => await isReady(name), `${name} is ready`, 120_000);
    await cluster.get({ ...LAMP, namespace: HOME, name: `${name}-one` });
    const { rules } = (await cluster.get({ ...ROLE, namespace: HOME, name: ACCOUNT(name) })) as unknown as { rules: unknown };
    assert.deepEqual(rules, at((await cluster.get({ ...APP_DEFINITION, name })).spec, 'permissions'));
    const another = await check(name, 'two');
    assert.deepEqual([textAt(another, 'verdict'), listAt(another, 'findings', 'blocked')], ['Ready', []]);
    assert.deepEqual([await mayPatchLamps(ACCOUNT(name)), await mayPatchLamps('chandlery-deployer')], [true, false]);
  });

  it('are not those of another app of the environment, which is told what to grant and whom to ask, and works with it', async () => {
    const name = `torch${RUN}`;
    await pack(name);
    const chart = { repoURL: 'file://samples', name, version: '1.0.0' };
    await cluster.create(APP_DEFINITION, {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'AppDefinition',
      metadata: { name },
      spec: { chart },
    });
    await untilOffered(name);
    const checked = await check(name);
    const blocked = listAt(checked, 'findings', 'blocked').map((one) => textAt(one, 'message') ?? '');
    assert.equal(textAt(checked, 'verdict'), 'Blocked');
    assert.match(
      blocked.join('\n'),
      new RegExp(
        `${HOME}:chandlery-deployer, may not .* lamps.*so it cannot install Lamp .*To allow it, an admin adds it to spec.permissions of the AppDefinition ${name}`,
      ),
    );
    assert.match(textAt(checked, 'grant') ?? '', /kind: AppDefinition[^]*permissions:[^]*lamps/);
    assert.match(
      await untilInstallable(name, 'PermissionsMissing'),
      /^The deployer may not .* on lamps of .*: grant it in spec\.permissions/,
    );
    await install(name);
    await until(
      async () =>
        (await conditionsOf(name)).some(
          (one) => textAt(one, 'reason') === 'InstallFailed' || /forbidden/i.test(textAt(one, 'message') ?? ''),
        ),
      `${name} fails`,
      120_000,
    );
    // What the check has printed is all that an admin has to apply.
    const { spec } = parse(textAt(checked, 'grant') ?? '') as { spec: JsonObject };
    await cluster.patch({ ...APP_DEFINITION, name }, { type: 'merge', body: { spec: { ...spec, deletionPolicy: 'Cascade' } } });
    await until(async () => await isReady(name), `${name} is ready`, 120_000);
    await untilInstallable(name, 'RequirementsMet');
    await removeDefinition(name);
    await untilGone(name);
  });

  it('cannot be borrowed by a member: no token, no Secret with one, no pod, no binding', async () => {
    const member = kube.asActor(parseActor('oidc:dev-a', ['oidc:team-a']));
    const account = ACCOUNT(granted);
    const forbidden = (error: unknown): boolean => isAppError(error, 'Forbidden', 'AdmissionDenied');
    const subject = { kind: 'ServiceAccount', name: account, namespace: HOME };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: account };
    const annotations = { 'kubernetes.io/service-account.name': account };
    const token = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: { name: 'borrowed', annotations },
    };
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'borrowed' },
      roleRef,
      subjects: [subject],
    };
    const inHome = <T extends { metadata: { name: string } }>(object: T): T => ({
      ...object,
      metadata: { ...object.metadata, namespace: HOME },
    });
    await assert.rejects(member.create(SECRET, inHome(token)), forbidden);
    await assert.rejects(member.create(ROLE_BINDING, inHome(binding)), forbidden);
    await assert.rejects(
      member.create({ ...SERVICE_ACCOUNT }, inHome({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT('none') } })),
      forbidden,
    );
    // The deployer of the other apps holds none of it, so it cannot hand it on.
    await assert.rejects(
      kube.asServiceAccount({ namespace: HOME, name: 'chandlery-deployer' }).create(ROLE_BINDING, inHome(binding)),
      forbidden,
    );
    // Not even a cluster-admin has a pod run as it, or keeps a token of it.
    await assert.rejects(cluster.create(SECRET, inHome(token)), forbidden);
    const containers = [{ name: 'a', image: 'example.com/a' }];
    const template = { metadata: { labels: { a: 'b' } }, spec: { serviceAccountName: account, containers } };
    const pods = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'borrowed' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    };
    await assert.rejects(cluster.create(DEPLOYMENT, inHome(pods)), forbidden);
  });

  it('are never those of Chandlery, of other apps or of the environment: the api-server rejects what the page does not propose', async () => {
    for (const { rule, reason } of PERMISSION_RULES) {
      const body = { spec: { permissions: [rule] } };
      const written = cluster.patch({ ...APP_DEFINITION, name: granted }, { type: 'merge', body }, { dryRun: 'All' });
      await (reason === undefined ? written : assert.rejects(written, reason, stringifyJson(rule)));
    }
  });

  it('follow the AppDefinition, and go with its last instance', async () => {
    const more = [{ apiGroups: [GROUP], resources: ['lamps'], verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] }];
    await cluster.patch({ ...APP_DEFINITION, name: granted }, { type: 'merge', body: { spec: { permissions: more } } });
    await eventually(async () => {
      const role = await cluster.get({ ...ROLE, namespace: HOME, name: ACCOUNT(granted) });
      return isDeepStrictEqual(role['rules'], more) ? true : undefined;
    }, 'the Role has the new rules');
    await product.api('dev-a', `${instances}/${idOf(granted)}/one`, { method: 'DELETE' });
    await untilGone(granted);
    assert.equal(
      await ifFound(cluster.get({ ...LAMP, namespace: HOME, name: `${granted}-one` })),
      undefined,
      'the account has uninstalled it',
    );
    await removeDefinition(granted);
  });
});
