import { httpsAddress } from '../../domain/core/https-address.ts';
import type { CiJob } from '../../domain/environment/job-deployment.ts';
import type { Claims } from './claim-mapper.ts';

const MAX_TEXT_LENGTH = 200;
const GITHUB = 'https://token.actions.githubusercontent.com';

/**
 * The CI job of a verified token, by the claims of GitLab, GitHub and issuers like them; undefined for any other token. It informs people: rights come from user
 * and groups alone.
 */
export function ciJobOf(claims: Claims): CiJob | undefined {
  const [project] = textsOf(claims, ['project_path', 'repository', 'project']);
  const [run] = textsOf(claims, ['pipeline_id', 'run_id', 'job_id']);
  const [commit = ''] = textsOf(claims, ['sha', 'commit']);
  if (project === undefined || (run === undefined && commit === '')) return undefined;
  const [ref = ''] = textsOf(claims, ['ref']);
  return { project, ref: ref.replace(/^refs\/(?:heads|tags)\//, ''), commit, pipelineURL: pipelineOf(claims) };
}

/** Issuers do not tell the address, but where projects and runs are on them is known. */
function pipelineOf(claims: Claims): string {
  const [issuer = ''] = textsOf(claims, ['iss']);
  const [gitlab, pipeline] = [textsOf(claims, ['project_path'])[0], textsOf(claims, ['pipeline_id'])[0]];
  if (gitlab !== undefined && pipeline !== undefined) return below(issuer, `${pathOf(gitlab)}/-/pipelines/${encodeURIComponent(pipeline)}`);
  const [github, run] = [textsOf(claims, ['repository'])[0], textsOf(claims, ['run_id'])[0]];
  if (github === undefined || run === undefined) return '';
  // https://docs.github.com/actions/reference/security/oidc: a server of one's own issues below /_services/token.
  const server = issuer === GITHUB ? 'https://github.com' : issuer.replace(/\/_services\/token\/?$/, '');
  return below(server, `${pathOf(github)}/actions/runs/${encodeURIComponent(run)}`);
}

function below(server: string, path: string): string {
  return httpsAddress(`${server.replace(/\/$/, '')}/${path}`);
}

function pathOf(project: string): string {
  return project.split('/').map(encodeURIComponent).join('/');
}

/** Those of the claims that are there, in printable characters and of bounded length. */
function textsOf(claims: Claims, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = claims[name];
    const text = typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' && /^[\x21-\x7e]+$/.test(text) && text.length <= MAX_TEXT_LENGTH ? [text] : [];
  });
}
