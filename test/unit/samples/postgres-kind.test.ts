import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LiveObject, Manifest } from '../../../charts/controller-runtime/kube-object.ts';
import { postgresKind } from '../../../charts/postgres-operator/controller/postgres-kind.ts';
import { live, parentOf, rolledOut } from './live-objects.ts';
import { at, listAt, textAt } from '../../../src/domain/core/read.ts';
import type { Json, JsonObject } from '../../../src/domain/kubernetes/resource.ts';

function desired(spec: JsonObject = {}, children: readonly LiveObject[] = []): readonly Manifest[] {
  return postgresKind.desired(parentOf('PostgresCluster', spec), { children, claims: [] }, {});
}

function find(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  assert.ok(found !== undefined, `there is no ${kind}`);
  return found;
}

function kinds(manifests: readonly Manifest[]): readonly string[] {
  return [...new Set(manifests.map(({ kind }) => kind))].sort();
}

function running(spec: JsonObject = {}): LiveObject {
  return live(find(desired(spec), 'StatefulSet'), rolledOut(1));
}

function sql(spec: JsonObject): string {
  return find(desired(spec), 'ConfigMap').data?.['setup.sql'] ?? '';
}

describe('The objects of a PostgresCluster', () => {
  it('have no setup job before there is a server to talk to', () => {
    assert.deepEqual(kinds(desired()), ['ConfigMap', 'Service', 'StatefulSet']);
    assert.deepEqual(kinds(desired({}, [running()])), ['ConfigMap', 'Job', 'Service', 'StatefulSet']);
  });

  it('keep the setup job while the server is away', () => {
    const job = live(find(desired({}, [running()]), 'Job'));
    assert.ok(kinds(desired({}, [job])).includes('Job'));
  });

  it('have another setup job when databases change, and the same one otherwise', () => {
    const nameOf = (spec: JsonObject): string => find(desired(spec, [running()]), 'Job').metadata.name;
    assert.notEqual(nameOf({ databases: [{ name: 'shop', owner: 'app' }] }), nameOf({}));
    assert.equal(nameOf({ instances: 3 }), nameOf({}));
  });

  it('do not restart servers for a change that only the setup job needs', () => {
    const hashOf = (spec: JsonObject): string =>
      textAt(find(desired(spec), 'StatefulSet').spec, 'template', 'metadata', 'annotations', 'samples.chandlery.dev/config-hash') ?? '';
    assert.equal(hashOf({ databases: [{ name: 'shop', owner: 'app' }] }), hashOf({}));
    assert.notEqual(hashOf({ parameters: { max_connections: '50' } }), hashOf({}));
  });

  it('wait for followers when replication is synchronous', () => {
    const spec = { instances: 3, replication: { mode: 'Synchronous', minSyncReplicas: 2 } };
    assert.match(find(desired(spec), 'ConfigMap').data?.['postgresql.conf'] ?? '', /^synchronous_standby_names = 'ANY 2 \(\*\)'$/m);
  });

  it('show times in the zone that is asked for', () => {
    const settings = (spec: JsonObject): string => find(desired(spec), 'ConfigMap').data?.['postgresql.conf'] ?? '';
    assert.match(settings({ timeZone: 'Europe/Berlin' }), /^timezone = 'Europe\/Berlin'$/m);
    assert.doesNotMatch(settings({}), /timezone/);
  });

  it('do not wait for followers while making the role that followers log in with', () => {
    const script = find(desired(), 'ConfigMap').data?.['replicator.sh'] ?? '';
    assert.match(script, /SET synchronous_commit = local;\nCREATE ROLE replicator/);
  });

  it('leave the volumes behind when asked to', () => {
    const spec = { storage: { size: '1Gi', whenDeleted: 'Retain' } };
    assert.equal(at(find(desired(spec), 'StatefulSet').spec, 'persistentVolumeClaimRetentionPolicy', 'whenDeleted'), 'Retain');
  });

  it('take the password of the superuser from the Secret that is named, and make none', () => {
    const superuserPasswordSecret = { name: 'orders-superuser', key: 'password' };
    const spec = { superuserPasswordSecret };
    const manifests = desired(spec, [running(spec)]);
    const pod = at(find(manifests, 'StatefulSet').spec, 'template', 'spec');
    const [server] = listAt(pod, 'containers');
    const volume = listAt(pod, 'volumes').find((one) => textAt(one, 'name') === 'superuser');
    assert.equal(textAt(volume, 'secret', 'secretName'), 'orders-superuser');
    const env = listAt(server, 'env').find((one) => textAt(one, 'name') === 'POSTGRES_PASSWORD_FILE');
    assert.equal(textAt(env, 'value'), '/etc/postgres-superuser/password');
    const [psql] = listAt(at(find(manifests, 'Job').spec, 'template', 'spec'), 'containers');
    const password = listAt(psql, 'env').find((one) => textAt(one, 'name') === 'PGPASSWORD');
    assert.deepEqual(at(password, 'valueFrom', 'secretKeyRef'), superuserPasswordSecret);
    const { values } = postgresKind.secret(parentOf('PostgresCluster', spec), {}, () => 'made');
    assert.equal(values['password-postgres'], undefined);
    assert.equal(values['password-app'], 'made');
  });

  it('pass the strictest Pod Security Standard in every container', () => {
    const destination = { bucket: { name: 'dumps', endpoint: 'https://s3.example.com', credentialsSecret: 'keys' } };
    const spec = { monitoring: { enabled: true }, backup: { enabled: true, schedule: '0 2 * * *', retentionDays: 7, destination } };
    const manifests = desired(spec, [running(spec)]);
    const pods = [
      at(find(manifests, 'StatefulSet').spec, 'template', 'spec'),
      at(find(manifests, 'Job').spec, 'template', 'spec'),
      at(find(manifests, 'CronJob').spec, 'jobTemplate', 'spec', 'template', 'spec'),
    ];
    const containers = pods.flatMap((pod) => [...listAt(pod, 'initContainers'), ...listAt(pod, 'containers')]);
    assert.equal(containers.length, 5);
    for (const pod of pods) assert.equal(at(pod, 'securityContext', 'runAsNonRoot'), true);
    for (const container of containers) assert.deepEqual(at(container, 'securityContext', 'capabilities', 'drop'), ['ALL']);
  });
});

describe('Backups of a PostgresCluster', () => {
  const backup = { enabled: true, schedule: '0 2 * * *', retentionDays: 3 };
  const cases: readonly { readonly where: string; readonly destination: Json; readonly kinds: readonly string[] }[] = [
    { where: 'a volume have a claim', destination: { volume: { size: '2Gi' } }, kinds: ['CronJob', 'PersistentVolumeClaim'] },
    {
      where: 'a bucket have none',
      destination: { bucket: { name: 'dumps', endpoint: 'https://s3.example.com', credentialsSecret: 'keys' } },
      kinds: ['CronJob'],
    },
  ];
  for (const { where, destination, kinds: expected } of cases) {
    it(`to ${where}`, () => {
      const added = kinds(desired({ backup: { ...backup, destination } })).filter((kind) => !kinds(desired()).includes(kind));
      assert.deepEqual(added, expected);
    });
  }
});

describe('The setup of databases', () => {
  it('takes passwords from files, so that they stand neither in a ConfigMap nor in arguments', () => {
    assert.match(sql({}), /\\set password `cat \/etc\/credentials\/password-app`/);
  });

  it('lets a user into the databases that are listed for it, and into no others', () => {
    const text = sql({
      databases: [
        { name: 'orders', owner: 'app' },
        { name: 'bills', owner: 'app' },
      ],
      users: [
        { name: 'app', superuser: false },
        { name: 'report', superuser: false, databases: ['orders'] },
      ],
    });
    assert.match(text, /^GRANT CONNECT, TEMPORARY ON DATABASE "orders" TO "report";$/m);
    assert.match(text, /^REVOKE CONNECT, TEMPORARY ON DATABASE "bills" FROM "report";$/m);
  });
});

describe('The status of a PostgresCluster', () => {
  const report = (job?: LiveObject) =>
    postgresKind.report(parentOf('PostgresCluster'), { children: [running(), ...(job === undefined ? [] : [job])], claims: [] }, []);
  const jobWith = (type: string): LiveObject =>
    live(find(desired({}, [running()]), 'Job'), { conditions: [{ type, status: 'True', message: 'it says why' }] });
  const cases = [
    { title: 'is not Ready while its databases are being made', job: undefined, phase: 'Creating' },
    { title: 'is Ready when they are made', job: jobWith('Complete'), phase: 'Ready' },
    { title: 'is Degraded when they cannot be made', job: jobWith('Failed'), phase: 'Degraded' },
  ] as const;
  for (const { title, job, phase } of cases) {
    it(title, () => assert.equal(report(job).phase, phase));
  }

  it('asks for volumes to grow only where they are smaller than wanted', () => {
    const claim = (name: string, storage: string): LiveObject =>
      live({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { namespace: 'team-a', name },
        spec: { resources: { requests: { storage } } },
      });
    const claims = [claim('data-shop-postgres-0', '1Gi'), claim('data-shop-postgres-1', '2Gi'), claim('shop-postgres-backup', '1Gi')];
    const parent = parentOf('PostgresCluster', { storage: { size: '2048Mi', whenDeleted: 'Delete' } });
    const growth = postgresKind.growth(parent, { children: [], claims });
    assert.deepEqual(
      growth.map((item) => `${item.claim.metadata.name} ${item.size}`),
      ['data-shop-postgres-0 2048Mi'],
    );
  });
});
