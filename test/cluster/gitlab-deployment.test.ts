import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gitLabControllers } from '../../src/compose/environment/gitlab-controllers.ts';
import { runController } from '../../src/controller/controller.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { type Condition, conditionsOf, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { parseManifest } from '../../src/domain/kubernetes/manifest.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import {
  ENVIRONMENT,
  GITLAB_DEPLOYMENT,
  GITLAB_MONITORING,
  type KnownType,
  NAMESPACE,
  ROLE_BINDING,
  SERVICE_ACCOUNT,
} from '../../src/domain/kubernetes/resource-types.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { runEnvironmentController } from '../support/environment-controller.ts';
import { eventually } from '../support/eventually.ts';
import { SEED_ENVIRONMENTS } from '../support/seed.ts';

const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
const ending = new AbortController();
const { signal } = ending;
let testCluster: TestCluster;
let kube: Kube;
let running: Promise<unknown>;

before(async () => {
  testCluster = await sharedCluster();
  kube = openKube(testCluster.kubeconfigPath);
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
  const environments = startReflector({ cluster: kube.asController(), type: ENVIRONMENT, log, signal });
  const prefixes = { usernamePrefix: 'oidc:', groupsPrefix: 'oidc:' };
  const controllers = gitLabControllers({ kube, environments, prefixes, log, signal });
  running = Promise.all([
    runEnvironmentController({ kube, sources: [environments], isOwn: (name) => name === NAME || name.startsWith('gitlab-'), log, signal }),
    ...controllers.map(async (controller) => await runController({ ...controller, log, signal })),
  ]);
});
after(async () => {
  ending.abort();
  await running;
  await kube.close();
  await testCluster.stop();
});

const NAME = 'my-compute-environment';

async function get(type: KnownType, name: string): Promise<KubeObject> {
  return await kube.asController().get({ ...type, name });
}

async function ready(type: KnownType, name: string, reason: string): Promise<Condition> {
  return await eventually(async () => {
    const found = findCondition(conditionsOf(await get(type, name)), 'Ready');
    return found?.reason === reason ? found : undefined;
  }, `${type.kind} ${name} with reason ${reason}`);
}

async function gone(type: KnownType, name: string): Promise<void> {
  await eventually(async () => ((await ifFound(get(type, name))) === undefined ? true : undefined), `${type.kind} ${name} gone`);
}

function deployment(name: string, spec: object): KubeObject {
  return { apiVersion: 'gitlabdeploymentcontroller.gitlab.com/v1', kind: 'GitLabDeployment', metadata: { name }, spec };
}

describe('a GitLabDeployment', () => {
  it('of the seed becomes an Environment of its projects and groups, with a service account of its own and one for its maintainers', async () => {
    for (const object of parseManifest(SEED_ENVIRONMENTS)) {
      const type = object.kind === 'GitLabDeployment' ? GITLAB_DEPLOYMENT : GITLAB_MONITORING;
      await kube.asController().create(type, object);
    }
    await ready(GITLAB_DEPLOYMENT, NAME, 'Ready');
    const environment = await get(ENVIRONMENT, NAME);
    const { uid } = (await get(GITLAB_DEPLOYMENT, NAME)).metadata;
    assert.deepEqual(
      environment.metadata.ownerReferences?.map((owner) => [owner.kind, owner.uid]),
      [['GitLabDeployment', uid]],
    );
    assert.equal(textAt(environment.spec, 'tier'), 'production');
    const subjects = async (role: string): Promise<unknown[]> =>
      listAt(await kube.asController().get({ ...ROLE_BINDING, namespace: NAME, name: `chandlery-${role}` }), 'subjects').map((one) =>
        at(one, 'name'),
      );
    assert.deepEqual(await subjects('developer'), ['ci:my-team/project', NAME]);
    const [group, account = ''] = await subjects('maintainer');
    assert.equal(group, 'oidc:other-team');
    const { items } = await kube
      .asController()
      .list(SERVICE_ACCOUNT, { namespace: NAME, labelSelector: `chandlery.dev/environment=${NAME}` });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['chandlery-deployer', String(account), NAME],
    );
    assert.match((await ready(GITLAB_MONITORING, `${NAME}-metrics`, 'PrometheusMissing')).message, /set its url, or the service/);
  });

  it('gives its Environment the Prometheus of its GitLabMonitoring, and takes it away again', async () => {
    const cluster = kube.asController();
    const monitoring = { ...GITLAB_MONITORING, name: `${NAME}-metrics` };
    const prometheus = { url: 'http://prometheus.example.com' };
    await cluster.patch(monitoring, { type: 'merge', body: { spec: { prometheus } } });
    await ready(GITLAB_MONITORING, monitoring.name, 'Ready');
    const monitored = async (): Promise<unknown> => at((await get(ENVIRONMENT, NAME)).spec, 'monitoring');
    const titles = await eventually(async () => {
      const found = listAt(await monitored(), 'queries').map((query) => at(query, 'title'));
      return found.length > 0 ? found : undefined;
    }, 'the queries');
    assert.deepEqual(titles, ['CPU', 'Memory', 'Restarts']);
    const other = { apiVersion: 'gitlabdeploymentcontroller.gitlab.com/v1', kind: 'GitLabMonitoring', metadata: { name: 'zz-later' } };
    await cluster.create(GITLAB_MONITORING, { ...other, spec: { gitLabDeploymentRef: { name: NAME }, prometheus } });
    await ready(GITLAB_MONITORING, 'zz-later', 'DeploymentMonitored');
    for (const name of ['zz-later', monitoring.name]) await cluster.delete({ ...GITLAB_MONITORING, name });
    await eventually(async () => ((await monitored()) === undefined ? true : undefined), 'no monitoring');
  });

  it('restores what somebody changes in the Environment, and leaves what an admin set beside it', async () => {
    const cluster = kube.asController();
    await cluster.patch({ ...ENVIRONMENT, name: NAME }, { type: 'merge', body: { spec: { tier: 'testing', quota: { pods: '7' } } } });
    const spec = await eventually(async () => {
      const found = (await get(ENVIRONMENT, NAME)).spec;
      return textAt(found, 'tier') === 'production' ? found : undefined;
    }, 'the tier is restored');
    assert.equal(textAt(spec, 'quota', 'pods'), '7');
  });

  it('takes no Environment and no namespace that it did not create', async () => {
    const cluster = kube.asController();
    const theirs = {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'Environment',
      metadata: { name: 'gitlab-theirs' },
      spec: { tier: 'testing' },
    };
    await cluster.create(ENVIRONMENT, theirs);
    await cluster.create(GITLAB_DEPLOYMENT, deployment('gitlab-theirs', { groups: ['thieves'] }));
    assert.match((await ready(GITLAB_DEPLOYMENT, 'gitlab-theirs', 'EnvironmentExists')).message, /did not create it/);
    await cluster.create(GITLAB_DEPLOYMENT, deployment('gitlab-thief', { groups: ['thieves'], namespace: NAME }));
    await ready(GITLAB_DEPLOYMENT, 'gitlab-thief', 'NamespaceTaken');
    await cluster.create(GITLAB_DEPLOYMENT, deployment('gitlab-system', { namespace: 'kube-system' }));
    assert.match((await ready(GITLAB_DEPLOYMENT, 'gitlab-system', 'InvalidSpec')).message, /kube-\*/);
    for (const name of ['gitlab-theirs', 'gitlab-thief', 'gitlab-system']) {
      await cluster.delete({ ...GITLAB_DEPLOYMENT, name });
      await gone(GITLAB_DEPLOYMENT, name);
    }
    assert.deepEqual(at((await get(ENVIRONMENT, 'gitlab-theirs')).spec, 'groups'), undefined);
    await cluster.delete({ ...ENVIRONMENT, name: 'gitlab-theirs' });
  });

  it('is an admin alone to write: a maintainer of the environment may not', async () => {
    const maintainer = kube.asActor({ user: 'oidc:maria', groups: ['oidc:other-team'] });
    const patch = { type: 'merge', body: { spec: { groups: ['others'] } } } as const;
    await assert.rejects(maintainer.patch({ ...GITLAB_DEPLOYMENT, name: NAME }, patch), (error) => isAppError(error, 'Forbidden'));
  });

  it('takes its Environment along when it is deleted, and its namespace as its reclaim says', async () => {
    const cluster = kube.asController();
    await cluster.patch({ ...GITLAB_DEPLOYMENT, name: NAME }, { type: 'merge', body: { spec: { reclaim: 'Delete' } } });
    await eventually(
      async () => textAt((await get(ENVIRONMENT, NAME)).spec, 'reclaim') === 'Delete' || undefined,
      'the Environment follows',
    );
    await cluster.delete({ ...GITLAB_DEPLOYMENT, name: NAME });
    await gone(GITLAB_DEPLOYMENT, NAME);
    await gone(ENVIRONMENT, NAME);
    await gone(NAMESPACE, NAME);
  });
});
