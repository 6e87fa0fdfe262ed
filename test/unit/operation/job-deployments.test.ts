import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { CiJob, JobDeployment } from '../../../src/domain/environment/job-deployment.ts';
import { type Actor, parseActor } from '../../../src/domain/kubernetes/actor.ts';
import { listDeployments, recordedDeployment, reportDeployment } from '../../../src/operation/environment/job-deployments.ts';
import type { Ports } from '../../../src/operation/ports.ts';
import { ASKING, sampleAuditLog } from '../../support/sample-audit-log.ts';

const DEVELOPER = parseActor('ci:shop/orders', ['ci:shop/orders']);
const VIEWER = parseActor('oidc:eve', ['oidc:viewers']);
const PIPELINE = 'https://gitlab.example.com/shop/orders/-/pipelines/7';
const JOB: CiJob = { project: 'shop/orders', ref: 'main', commit: 'abc', pipelineURL: PIPELINE };

describe('deployments by CI jobs', () => {
  const start = () => {
    const kept: [string, JobDeployment][] = [];
    const environment = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'shop', uid: 'u1' }, spec: {} };
    const asActor = ({ user }: Actor) => ({
      get: async () => environment,
      review: async ({ verb }: { verb: string }) => ({ allowed: verb === 'list' || user === DEVELOPER.user }),
    });
    const deployments: Ports['deployments'] = {
      put: async (place, deployment) => void kept.push([place, deployment]),
      list: async (place) => kept.filter(([at]) => at === place).map(([, one]) => one),
    };
    const ports = { clusters: { asActor }, auditLog: sampleAuditLog(), deployments } as unknown as Ports;
    return { ports, kept };
  };
  const target = 'deployments.apps/web';

  it('say what the token says, and only beside that what the job reports', async () => {
    const { ports, kept } = start();
    const sent = {
      ...ASKING,
      environment: 'shop',
      target,
      outcome: 'Running' as const,
      commit: 'forged',
      pipelineURL: 'https://evil.example.com/',
    };
    await reportDeployment(ports, DEVELOPER, { ...sent, ciJob: JOB });
    const { time: _time, ...said } = await reportDeployment(ports, DEVELOPER, { ...sent, ciJob: { ...JOB, pipelineURL: '' } });
    assert.deepEqual(said, { ...JOB, pipelineURL: sent.pipelineURL, target, outcome: 'Running', message: '', user: DEVELOPER.user });
    assert.deepEqual(
      kept.map(([place, { commit, pipelineURL }]) => [place, commit, pipelineURL]),
      [
        ['u1', 'abc', PIPELINE],
        ['u1', 'abc', sent.pipelineURL],
      ],
    );
    const { deployments } = await listDeployments(ports, VIEWER, 'shop');
    assert.deepEqual(
      deployments.map((row) => [row.target, row.running?.project, row.lastFailed]),
      [[target, 'shop/orders', undefined]],
    );
  });

  it('are rejected without the permission, and with a link that is none', async () => {
    const { ports, kept } = start();
    const report = { ...ASKING, environment: 'shop', target, outcome: 'Failed' as const };
    await assert.rejects(reportDeployment(ports, VIEWER, report), { code: 'Forbidden' });
    for (const pipelineURL of [
      'javascript:alert(1)',
      'http://ci.example.com',
      'https://a:b@ci.example.com',
      '//ci.example.com',
      'x'.repeat(501),
    ]) {
      await assert.rejects(reportDeployment(ports, DEVELOPER, { ...report, pipelineURL }), { code: 'InvalidInput' }, pipelineURL);
    }
    assert.deepEqual(kept, []);
  });

  it('are recorded of what a job applies, whatever comes of it; of people nothing is, and no record stops an action', async () => {
    const { ports, kept } = start();
    const of = (ciJob?: CiJob) => ({
      origin: { ...ASKING, ...(ciJob === undefined ? {} : { ciJob }) },
      environment: 'shop',
      target: 'a/b',
    });
    const fail = async (): Promise<never> => await Promise.reject(new AppError('AlreadyExists', 'there is one'));
    assert.equal(await recordedDeployment(ports, DEVELOPER, of(JOB), async () => 'made'), 'made');
    await assert.rejects(recordedDeployment(ports, DEVELOPER, of(JOB), fail), { code: 'AlreadyExists' });
    assert.deepEqual(
      kept.map(([, { outcome, message }]) => [outcome, message]),
      [
        ['Succeeded', ''],
        ['Failed', 'AlreadyExists'],
      ],
    );
    await recordedDeployment(ports, DEVELOPER, of(), async () => 'made');
    assert.equal(await recordedDeployment(ports, VIEWER, of(JOB), async () => 'made'), 'made');
    const away = { ...ports, deployments: { ...ports.deployments, put: async () => await Promise.reject(new Error('no database')) } };
    assert.equal(await recordedDeployment(away, DEVELOPER, of(JOB), async () => 'made'), 'made');
    assert.equal(kept.length, 2);
  });
});
