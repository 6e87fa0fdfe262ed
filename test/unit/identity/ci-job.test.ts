import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ciJobOf } from '../../../src/identity/claims/ci-job.ts';

const GITLAB = { iss: 'https://gitlab.example.com', project_path: 'shop/orders', ref: 'main', sha: 'abc', pipeline_id: 7 };
const GITHUB = {
  iss: 'https://token.actions.githubusercontent.com',
  repository: 'shop/orders',
  ref: 'refs/heads/main',
  sha: 'abc',
  run_id: '9',
};

describe('the CI job of a token', () => {
  it('is known by the claims of GitLab and GitHub, with the address of its pipeline', () => {
    const job = { project: 'shop/orders', ref: 'main', commit: 'abc' };
    assert.deepEqual(ciJobOf(GITLAB), { ...job, pipelineURL: 'https://gitlab.example.com/shop/orders/-/pipelines/7' });
    assert.deepEqual(ciJobOf(GITHUB), { ...job, pipelineURL: 'https://github.com/shop/orders/actions/runs/9' });
    const own = ciJobOf({ ...GITHUB, iss: 'https://git.example.com/_services/token' });
    assert.equal(own?.pipelineURL, 'https://git.example.com/shop/orders/actions/runs/9');
  });

  it('is none without a project or without a run, whatever else the claims say', () => {
    for (const claims of [{}, { sub: 'ada', groups: ['a'] }, { project_path: 'shop/orders' }, { sha: 'abc', pipeline_id: '7' }]) {
      assert.equal(ciJobOf(claims), undefined, JSON.stringify(claims));
    }
  });

  it('leaves out what is no plain text, and links to nothing but https', () => {
    const hostile = ['\u202eabc', 'a b', 'x'.repeat(201), ['main'], { a: 1 }, null];
    for (const value of hostile) assert.equal(ciJobOf({ ...GITLAB, ref: value })?.ref, '', JSON.stringify(value));
    for (const iss of ['http://gitlab.example.com', 'javascript:alert(1)//', 'https://user@gitlab.example.com', 7, undefined]) {
      assert.equal(ciJobOf({ ...GITLAB, iss })?.pipelineURL, '', String(iss));
    }
    const path = ciJobOf({ ...GITLAB, project_path: '../..?a=b#c', pipeline_id: '../1' })?.pipelineURL ?? '';
    assert.equal(new URL(path).origin, 'https://gitlab.example.com');
    assert.doesNotMatch(path, /[?#]/);
  });
});
