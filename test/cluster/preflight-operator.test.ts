import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { NAMESPACE } from '../../src/domain/kubernetes/resource-types.ts';
import { parseActor } from '../../src/domain/kubernetes/actor.ts';
import type { Preflight } from '../../src/domain/instance/instance.ts';
import type { Finding } from '../../src/domain/preflight/findings.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createOperator } from '../../src/operation/operator/write-operator.ts';
import type { Ports } from '../../src/operation/ports.ts';
import { preflightOperator, type OperatorPorts } from '../../src/operation/preflight/preflight-operator.ts';
import { chartFiles } from '../support/charts.ts';
import { trialsFor } from '../support/audit.ts';
import type { TestCluster } from '../support/cluster.ts';
import { ASKING } from '../support/sample-audit-log.ts';
import { eventually } from '../support/eventually.ts';
import { offerChart } from '../support/offer-chart.ts';
import { CONFIG_MAP, kindsOf } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { kubeconfigFor } from '../support/kubeconfig-for.ts';
import type { OperatorWorld } from '../support/operator-world.ts';
import { startPreviewWorld, type PreviewWorld } from '../support/preview-world.ts';

const NS = `pfo-${RUN}`;
const TARGET = `pfo-target-${RUN}`;
const ROOT = parseActor(`test:pfo-root-${RUN}`, [`test:pfo-roots-${RUN}`]);
const ADMIN = parseActor(`test:pfo-admin-${RUN}`, [`test:pfo-admins-${RUN}`]);
const DEVELOPER = parseActor(`test:pfo-dev-${RUN}`, [`test:pfo-devs-${RUN}`]);
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const BARREL = kindsOf('barrel');
/** A question, of which nothing is kept. */
const ACCESS_REVIEW = 'create /apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

let previews: PreviewWorld;
let testCluster: TestCluster;
let world: OperatorWorld;
let ports: OperatorPorts & Pick<Ports, 'auditLog'>;
let folder: string;

before(async () => {
  previews = await startPreviewWorld('none');
  ({ cluster: testCluster, operators: world, ports, folder } = previews);
  const { kube, chartsDir } = world;
  await offerChart(chartsDir, { name: 'barrel', version: '1.0.0' });
  for (const name of [NS, TARGET]) await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await bind(ROOT.groups[0] ?? '', 'cluster-admin');
  await bind(ADMIN.groups[0] ?? '', 'chandlery-admin');
  await previews.catalogSynced();
});
after(async () => await previews.stop());

describe('the check of a new Operator', () => {
  it('names what its chart would bring, each object by a dry run', async () => {
    const { verdict, findings, commands } = await preflightOperator(ports, ROOT, barrel({ targetNamespace: TARGET }));
    assert.equal(verdict, 'Ready', texts(findings.blocked));
    for (const expected of [
      `Operator ${NS}/barrel`,
      `The release ${TARGET}/barrel of the chart barrel 1.0.0`,
      `The kind ${BARREL.plural}.${BARREL.group}`,
      `Deployment ${TARGET}/barrel`,
      `Secret ${TARGET}/barrel`,
    ])
      assert.ok(
        findings.created.some(({ message, evidence }) => message === expected && evidence === 'exact'),
        texts(findings.created),
      );
    assert.deepEqual([findings.blocked, findings.unchecked], [[], []]);
    assert.match(commands.kubectl, /kind: Operator/);
    await assert.rejects(world.read(NS, 'barrel'), { code: 'NotFound' });
  });

  it('warns of kinds of its catalogue block that the chart does not bring', async () => {
    const catalog = { kinds: [{ kind: 'Barel' }, { kind: BARREL.kind }] };
    const { verdict, findings } = await preflightOperator(ports, ROOT, barrel({ targetNamespace: TARGET, catalog }));
    assert.equal(verdict, 'Ready');
    const [line, ...more] = findings.warned.filter(({ subject }) => subject === 'Validation');
    assert.deepEqual([line?.field, more], ['spec.catalog.kinds[0].kind', []]);
    assert.match(line?.message ?? '', /the Operator has no kind Barel; did you mean Barrel\?/);
  });

  it('tries its health rules on the example, and names the one that fails', async () => {
    const health = [
      { status: 'Suspended', when: 'self.spec.size == 0', message: 'The barrel is empty' },
      { status: 'Degraded', when: "self.status.leak == 'yes'" },
      { status: 'Healthy', when: 'self.spec.size >' },
    ];
    const kinds = (rules: readonly object[], size: number): object[] => [{ kind: BARREL.kind, health: rules, example: { spec: { size } } }];
    const tried = async (catalog: object): Promise<Preflight['findings']> =>
      (await preflightOperator(ports, ROOT, barrel({ targetNamespace: TARGET, catalog }))).findings;
    const empty = await tried({ kinds: kinds(health.slice(0, 2), 0) });
    assert.match(texts(empty.created), /Health rules for Barrel: the example is Suspended: The barrel is empty/);
    const failing = await tried({ kinds: kinds(health.slice(0, 2), 1) });
    assert.match(
      texts(failing.warned),
      /spec\.catalog\.kinds\[0\]\.health\[1\]\.when: the health rule failed for a sample, .* no such key/,
    );
    const broken = await tried({ kinds: kinds(health, 1) });
    assert.match(texts(broken.warned), /health\[2\]\.when: the CEL expression does not compile/);
  });

  it('reports a namespace that is made with it, or that is missing', async () => {
    const made = await preflightOperator(ports, ROOT, barrel({ targetNamespace: `new-${RUN}`, createNamespace: true }));
    assert.ok(made.findings.created.some(({ message }) => message === `The namespace new-${RUN}`));
    const missing = await preflightOperator(ports, ROOT, barrel({ targetNamespace: `new-${RUN}` }));
    assert.equal(missing.verdict, 'Blocked');
    assert.match(texts(missing.findings.blocked), /does not exist; create it, or set spec\.createNamespace/);
  });

  it('knows by a dry run of their pods what Pod Security will reject', async () => {
    await level('restricted');
    const { findings } = await preflightOperator(ports, ROOT, barrel({ targetNamespace: TARGET }));
    const [line] = findings.warned.filter(({ subject }) => subject === 'PodSecurity' || subject === 'LimitRange');
    assert.deepEqual([line?.subject, line?.evidence], ['PodSecurity', 'exact'], texts(findings.warned));
    assert.match(line?.message ?? '', /Pods of Deployment pfo-target-\w+\/barrel will be rejected: .*restricted/);
    await level(null);
  });

  it('is blocked by an object of somebody else', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'taken', namespace: TARGET } };
    await world.kube.asController().create({ group: '', version: 'v1', resource: 'secrets' }, secret);
    const { verdict, findings } = await preflightOperator(ports, ROOT, barrel({ targetNamespace: TARGET, releaseName: 'taken' }));
    assert.equal(verdict, 'Blocked');
    assert.match(texts(findings.blocked), /Secret pfo-target-\w+\/taken already exists: it belongs to no release/);
  });

  it('is blocked by a release that will not fit into its Secret, as the controller would say at the end', async () => {
    const large = { 'files/large.txt': randomBytes(1_000_000).toString('base64'), 'templates/a.yaml': CONFIG_MAP };
    await world.writeChart('heavy', chartFiles('heavy', '1.0.0', large));
    const chart = { repoURL: 'file://samples', name: 'heavy', version: '1.0.0' };
    const { verdict, findings } = await preflightOperator(ports, ROOT, barrel({ targetNamespace: TARGET, chart }));
    assert.equal(verdict, 'Blocked');
    assert.match(texts(findings.blocked), /^The release does not fit into its Secret: .* KiB of 1024 KiB\. Helm stores the templates/);
  });

  it('is blocked by a chart that is not there', async () => {
    const chart = { repoURL: 'file://samples', name: 'barrel', version: '9.9.9' };
    const { verdict, findings } = await preflightOperator(ports, ROOT, barrel({ chart }));
    assert.deepEqual([verdict, findings.blocked.map(({ subject }) => subject)], ['Blocked', ['Chart']]);
  });

  it('tries as the controller, for anybody who may create it, and the audit log says for whom', async () => {
    const { verdict, findings } = await preflightOperator(ports, ADMIN, barrel({ targetNamespace: TARGET }));
    assert.equal(verdict, 'Ready', texts(findings.blocked));
    assert.ok(findings.created.some(({ message, evidence }) => message === `Secret ${TARGET}/barrel` && evidence === 'exact'));
    assert.deepEqual(findings.unchecked, []);
    const calls = await trialsFor(testCluster.auditLogPath, ADMIN.user);
    assert.ok(
      calls.some((call) => call.startsWith(`patch /apis/apps/v1/namespaces/${TARGET}/deployments/barrel?`)),
      calls.join('\n'),
    );
    assert.ok(
      calls.some((call) => call.startsWith(`create /api/v1/namespaces/${TARGET}/pods?`)),
      calls.join('\n'),
    );
    assert.deepEqual(
      calls.filter((call) => !call.startsWith('get ') && !call.includes('dryRun=All') && call !== ACCESS_REVIEW),
      [],
    );
  });

  it('names what the controller may not do, with the smallest grant, which helps', async () => {
    const limited = await controllerWithoutSecrets();
    const check = async (): Promise<Preflight> =>
      await preflightOperator({ ...ports, clusters: limited }, ADMIN, barrel({ targetNamespace: TARGET }));
    const { verdict, findings, remedies, grant } = await check();
    const sentence = `The account of Chandlery, system:serviceaccount:${NS}:limited, may not create, update, delete, patch secrets in the namespace ${TARGET}, so it cannot install the record of the release barrel, Secret ${TARGET}/barrel. To allow it, add to the values of its chart rbac.operators.namespaces: [${TARGET}]`;
    assert.deepEqual(findings.blocked, [{ message: sentence, subject: 'Permission', evidence: 'exact' }]);
    assert.deepEqual([verdict, grant], ['Blocked', remedies[0]?.yaml]);
    await promisify(execFile)('sh', [
      '-ec',
      (remedies[0]?.kubectl ?? '').replaceAll(
        'kubectl',
        `'${testCluster.tools.kubectl ?? 'kubectl'}' --kubeconfig '${testCluster.kubeconfigPath}'`,
      ),
    ]);
    const helped = await eventually(async () => {
      const found = await check();
      return found.verdict === 'Ready' ? found : undefined;
    }, 'the grant holds');
    assert.ok(helped.findings.created.some(({ message }) => message === `Secret ${TARGET}/barrel`));
    await limited.close();
  });

  it('fetches no chart for who may not create it, and names the smallest grant', async () => {
    const { verdict, findings, remedies } = await preflightOperator(ports, DEVELOPER, barrel({}));
    assert.equal(verdict, 'Blocked');
    assert.deepEqual([findings.created, findings.unchecked], [[], []]);
    assert.deepEqual(await trialsFor(testCluster.auditLogPath, DEVELOPER.user), []);
    assert.match(remedies[0]?.yaml ?? '', /kind: Role\n[\s\S]*operators[\s\S]*kind: RoleBinding/);
  });

  it('takes nothing but Operators, and rejects what the schema rejects', async () => {
    await assert.rejects(preflightOperator(ports, ROOT, { ...barrel({}), kind: 'Secret' }), { code: 'InvalidInput' });
    const { verdict, faults } = await preflightOperator(ports, ROOT, barrel({ cahrt: {} }));
    assert.equal(verdict, 'Blocked');
    assert.match(faults[0]?.field ?? '', /cahrt/);
  });

  it('is created as the person, once', async () => {
    await createOperator(ports, ADMIN, { operator: barrel({ targetNamespace: TARGET }), ...ASKING });
    assert.equal((await world.read(NS, 'barrel')).metadata.name, 'barrel');
    const again = await preflightOperator(ports, ADMIN, barrel({ targetNamespace: TARGET }));
    assert.deepEqual([again.verdict, again.faults[0]?.field], ['Blocked', 'metadata.name']);
    await eventually(async () => {
      const rival = { ...barrel({ targetNamespace: TARGET }), metadata: { name: 'rival', namespace: NS } };
      return texts((await preflightOperator(ports, ROOT, rival)).findings.blocked).includes(
        `The Operator ${NS}/barrel already has this release`,
      );
    }, 'the release is taken');
  });
});

function barrel(spec: Readonly<Record<string, unknown>>): KubeObject {
  const chart = { repoURL: 'file://samples', name: 'barrel', version: '1.0.0' };
  return {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name: 'barrel', namespace: NS },
    spec: { name: 'barrel', chart, values: { password: 'of-no-use' }, ...spec },
  };
}

function texts(lines: readonly Finding[]): string {
  return lines.map(({ message }) => message).join('\n');
}

/** Chandlery under an account that may do everything of this chart but write Secrets. */
async function controllerWithoutSecrets(): Promise<Kube> {
  const cluster = world.kube.asController();
  const verbs = ['get', 'create', 'patch', 'delete'];
  const rules = [
    { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] },
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['apps', 'apiextensions.k8s.io'], resources: ['*'], verbs },
    { apiGroups: [''], resources: ['pods'], verbs },
    { apiGroups: [RBAC.group], resources: ['clusterroles'], verbs: ['escalate'] },
  ];
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'limited', namespace: NS } };
  await cluster.create({ group: '', version: 'v1', resource: 'serviceaccounts' }, account);
  const name = `pfo-limited-${RUN}`;
  await cluster.create(
    { ...RBAC, resource: 'clusterroles' },
    { apiVersion: `${RBAC.group}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
  );
  await cluster.create(
    { ...RBAC, resource: 'clusterrolebindings' },
    {
      apiVersion: `${RBAC.group}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      subjects: [{ kind: 'ServiceAccount', name: 'limited', namespace: NS }],
      roleRef: { apiGroup: RBAC.group, kind: 'ClusterRole', name },
    },
  );
  const kubeconfigPath = join(folder, 'limited.yaml');
  await writeFile(kubeconfigPath, await kubeconfigFor('limited', NS, testCluster.kubeconfigPath));
  return openKube(kubeconfigPath, { userAgent: 'chandlery-limited' });
}

async function level(value: string | null): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': value };
  await world.kube.asController().patch({ ...NAMESPACE, name: TARGET }, { type: 'merge', body: { metadata: { labels } } });
}

async function bind(group: string, role: string): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  await world.kube.asController().create(
    { group: apiGroup, version: 'v1', resource: 'clusterrolebindings' },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: `pfo-${role}-${RUN}` },
      subjects: [{ kind: 'Group', apiGroup, name: group }],
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    },
  );
}
