import type { JobDeployment } from '../../domain/environment/job-deployment.ts';
import type { EnvironmentDeployments } from '../../operation/environment/job-deployments.ts';
import type { Badge } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { environmentPath, resourcePath } from '../page/paths.ts';

interface DeploymentCell {
  readonly label: string;
  /** RFC 3339; empty when there is none. */
  readonly time: string;
  readonly badge: Badge;
  /** The project, else the user. */
  readonly by: string;
  readonly ref: string;
  readonly commit: string;
  readonly shortCommit: string;
  readonly message: string;
  readonly pipelineURL: string;
}

/** What CI jobs deployed: a part of `environments/workloads`. */
export interface DeploymentsPanel {
  readonly rows: readonly { readonly target: string; readonly href: string; readonly cells: readonly DeploymentCell[] }[];
  readonly csvHref: string;
  /** The permission that is missing; empty when they are listed. */
  readonly missing: string;
}

export function deploymentsPanel({ environment, deployments, missing }: EnvironmentDeployments): DeploymentsPanel {
  return {
    rows: deployments.map(({ target, lastSuccessful, lastFailed, running }) => ({
      target,
      href: hrefOf(environment.name, target),
      cells: [
        cellOf('Last successful', { label: 'Succeeded', tone: 'good', symbol: 'check' }, lastSuccessful),
        cellOf('Last failed', { label: 'Failed', tone: 'bad', symbol: 'bad' }, lastFailed),
        cellOf('Running', { label: 'Running', tone: 'busy', symbol: 'busy' }, running),
      ],
    })),
    csvHref: `/api/v1${environmentPath(environment.name)}/deployments?format=csv`,
    missing: missing === undefined ? '' : missingSentence(missing),
  };
}

/** Of a target that names its kind. */
function hrefOf(environment: string, target: string): string {
  const [resource = '', name = '', ...rest] = target.split('/');
  return name === '' || rest.length > 0 ? '' : resourcePath(environment, { resource, name });
}

const SHORT_COMMIT = 8;

function cellOf(label: string, badge: Badge, deployment: JobDeployment | undefined): DeploymentCell {
  const { time = '', project = '', user = '', ref = '', commit = '', message = '', pipelineURL = '' } = deployment ?? {};
  return { label, badge, time, by: project || user, ref, commit, shortCommit: commit.slice(0, SHORT_COMMIT), message, pipelineURL };
}
