import { listAt, textAt } from '../../../core/read.ts';
import type { Health } from '../../health.ts';
import type { HealthLine } from '../rule.ts';

/** What a policy moves from one branch to the next. "Dry" is a commit before its manifests are rendered ("hydrated"). */
export const policyHealth: HealthLine = ({ status }) => {
  const unknown = unknownCommit(status);
  if (unknown !== undefined) return { status: 'Progressing', message: `The ${unknown} commit DRY SHA is missing or empty.` };
  const [active, proposed] = [activeCommit(status), proposedCommit(status)];
  if (active !== proposed) {
    return {
      status: 'Progressing',
      message: `Promotion in progress from '${short(active)}' to '${short(proposed)}': ${tally(status, 'proposed')}`,
    };
  }
  if (checksOf(status, 'active').every(({ phase }) => phase === 'success')) {
    return { status: 'Healthy', message: `Environment is up-to-date on commit ${short(active)}.` };
  }
  return {
    status: 'Healthy',
    message: `Environment is up-to-date, but there are non-successful active commit statuses: ${tally(status, 'active')}`,
  };
};

/** The same over all environments of a strategy: what the first one waits for. */
export const strategyHealth: HealthLine = ({ status }) => {
  const environments = environmentsOf(status);
  const [first] = environments;
  if (first === undefined) return { status: 'Degraded', message: 'Promotion strategy has no environments configured' };
  const unknown = environments.find((environment) => unknownCommit(environment) !== undefined);
  if (unknown !== undefined) {
    return {
      status: 'Progressing',
      message: `The ${unknownCommit(unknown) ?? ''} commit DRY SHA is missing or empty in environment '${branchOf(unknown)}'.`,
    };
  }
  if (environments.some((environment) => hydratedCommit(environment) !== hydratedCommit(first))) return NOT_HYDRATED;
  const hydrated = `Hydrator has processed dry commit '${short(hydratedCommit(first))}'.`;
  const behind = environments.find((environment) => activeCommit(environment) !== proposedCommit(environment));
  if (behind !== undefined) {
    const commits = `from '${short(activeCommit(behind))}' to '${short(proposedCommit(behind))}'`;
    return {
      status: 'Progressing',
      message: `Promotion in progress for environment '${branchOf(behind)}' ${commits}: ${tally(behind, 'proposed')}${hydrated} `,
    };
  }
  return { status: 'Healthy', message: `All environments are up-to-date on commit '${short(activeCommit(first))}'. ${hydrated}` };
};

const NOT_HYDRATED: Health = {
  status: 'Progressing',
  message: 'Not all environments have the same proposed commit SHA. This likely means the hydrator has not run for all environments yet.',
};

/** A check of each environment; `validation` is the name of the check where branches are named, and `title` where there are none. */
export function environmentsHealth(title: string, validation: string): HealthLine {
  return ({ status }) => {
    const environments = environmentsOf(status);
    const branches = (phase: string): string =>
      environments
        .filter((environment) => textAt(environment, 'phase') === phase)
        .map(branchOf)
        .join(', ');
    if (branches('failure') !== '') return { status: 'Degraded', message: `${validation} failed for branch(es): ${branches('failure')}` };
    if (branches('pending') !== '')
      return { status: 'Progressing', message: `${validation} pending for branch(es): ${branches('pending')}` };
    if (environments.length === 0) return { status: 'Healthy', message: `${title} reconciled` };
    return { status: 'Healthy', message: `${validation} passed for ${environments.length} environment(s)` };
  };
}

function environmentsOf(status: unknown): readonly unknown[] {
  return listAt(status, 'environments').slice(0, MOST_LISTED);
}

const MOST_LISTED = 200;

function branchOf(environment: unknown): string {
  return textAt(environment, 'branch') ?? '';
}

function activeCommit(environment: unknown): string {
  return textAt(environment, 'active', 'dry', 'sha') ?? '';
}

function proposedCommit(environment: unknown): string {
  return textAt(environment, 'proposed', 'dry', 'sha') ?? '';
}

/** A hydrator that finds nothing changed leaves the proposed commit, and a note about the one that it has looked at. */
function hydratedCommit(environment: unknown): string {
  return textAt(environment, 'proposed', 'note', 'drySha') ?? proposedCommit(environment);
}

function unknownCommit(environment: unknown): 'active' | 'proposed' | undefined {
  if (activeCommit(environment) === '') return 'active';
  return proposedCommit(environment) === '' ? 'proposed' : undefined;
}

/** As git shortens commits. */
export function short(commit: string): string {
  return commit.slice(0, 7);
}

interface Check {
  readonly key: string;
  readonly phase: string;
}

function checksOf(environment: unknown, side: 'active' | 'proposed'): Check[] {
  return listAt(environment, side, 'commitStatuses')
    .slice(0, MOST_LISTED)
    .map((check) => ({ key: textAt(check, 'key') ?? '', phase: textAt(check, 'phase') ?? 'pending' }));
}

/** How many checks are how, and which ones are not well. */
function tally(environment: unknown, side: 'active' | 'proposed'): string {
  const checks = checksOf(environment, side);
  const keys = (phase: string): string[] => checks.filter((check) => check.phase === phase).map(({ key }) => key);
  const [pending, successful, failed] = [keys('pending'), keys('success'), keys('failure')];
  return [
    `${pending.length} pending, ${successful.length} successful, ${failed.length} failed. `,
    pending.length === 0 ? '' : `Pending commit statuses: ${pending.join(', ')}. `,
    failed.length === 0 ? '' : `Failed commit statuses: ${failed.join(', ')}. `,
  ].join('');
}
