import { listAt, textAt, textsAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import {
  absent,
  condition,
  conditionAs,
  conditionOutdated,
  degraded,
  deleted,
  evenWhenDeleted,
  type HealthLine,
  type HealthRule,
  type HealthRules,
  healthy,
  not,
  otherwise,
  progressing,
} from './rule.ts';

/** What a policy moves from one branch to the next. "Dry" is a commit before its manifests are rendered ("hydrated"). */
const policyHealth: HealthLine = ({ status }) => {
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
const strategyHealth: HealthLine = ({ status }) => {
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
function environmentsHealth(title: string, validation: string): HealthLine {
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
  return listAt(status, 'environments').slice(0, MAX_LISTED);
}

const MAX_LISTED = 200;

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
function short(commit: string): string {
  return commit.slice(0, 7);
}

interface Check {
  readonly key: string;
  readonly phase: string;
}

function checksOf(environment: unknown, side: 'active' | 'proposed'): Check[] {
  return listAt(environment, side, 'commitStatuses')
    .slice(0, MAX_LISTED)
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

/** How a kind is called in the sentences about it. */
interface Voice {
  readonly name: string;
  /** What is deleted, and what has a spec. */
  readonly self: string;
  readonly spec: string;
  readonly failed: string;
  readonly notReady: string;
  readonly open: string;
  readonly missing: string;
}

/** Each kind has the one condition `Ready`; what stands after these lines applies while it holds. */
function reconciled({ name, self, spec, failed, notReady, open, missing }: Voice): HealthRule {
  return [
    evenWhenDeleted,
    progressing(deleted, (_, object) => `${self} is being deleted${heldBy(object)}`),
    progressing(absent('status'), `Initializing ${name}`),
    progressing(conditionOutdated('Ready'), `Waiting for ${spec} spec update to be observed`),
    degraded(conditionAs(`${failed}: {message}`, 'Ready', 'False', 'ReconciliationError')),
    degraded(conditionAs(`${notReady} ({reason}): {message}`, 'Ready', 'False')),
    progressing(conditionAs(`${open} ({reason}): {message}`, 'Ready', 'Unknown')),
    progressing(not(condition('Ready')), missing),
  ];
}

function capitalised(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** Kinds that are spoken of by their name in plain words. */
function named(name: string): HealthRule {
  const title = capitalised(name);
  const failed = `${title} reconciliation failed`;
  return reconciled({
    name,
    self: title,
    spec: name,
    failed,
    notReady: failed,
    open: `${title} readiness unknown`,
    missing: `${title} is not ready yet`,
  });
}

/** What is checked against the outside world once: credentials and repositories. */
function validated(kind: string, name: string): HealthRule {
  const title = capitalised(name);
  const failed = `${title} validation failed`;
  const voice = { name, self: kind, spec: kind, failed, notReady: failed };
  return [
    ...reconciled({ ...voice, open: `${title} readiness unknown`, missing: `${kind} Ready condition is missing` }),
    healthy(otherwise, `${title} is ready`),
  ];
}

/** Checks of commits, with a result for each environment. */
function checking(kind: string, name: string, validation: string): HealthRule {
  const title = capitalised(name);
  const voice = { name, self: kind, spec: kind, failed: `${title} failed`, notReady: `${title} not ready` };
  return [
    ...reconciled({ ...voice, open: `${title} status unknown`, missing: `${kind} Ready condition is missing` }),
    environmentsHealth(title, validation),
  ];
}

/** The finalizers that are known, each with what it waits for. */
function heldBy({ metadata }: KubeObject): string {
  const texts = textsAt(metadata, 'finalizers')
    .slice(0, MAX_FINALIZERS)
    .map((finalizer) => ({ finalizer, text: FINALIZERS.get(finalizer) }))
    .flatMap(({ finalizer, text }) => (text === undefined ? [] : [` ${finalizer}: ${text}`]));
  return texts.length === 0 ? '' : `.${texts.join('')}`;
}

const MAX_FINALIZERS = 20;

const DANGLING = 'Risk if removed manually: GitRepository objects can reference a provider that no longer exists.';
const FINALIZERS: ReadonlyMap<string, string> = new Map([
  [
    'changetransferpolicy.promoter.argoproj.io/finalizer',
    "Waiting to clear related PullRequest finalizers and finish cleanup before this policy is removed. Risk if removed manually: The 'changetransferpolicy.promoter.argoproj.io/pullrequest-finalizer' finalizer may not be cleaned up from PullRequests owned by this ChangeTransferPolicy.",
  ],
  [
    'clusterscmprovider.promoter.argoproj.io/finalizer',
    `Waiting until no GitRepository still references this cluster-wide SCM provider. ${DANGLING}`,
  ],
  [
    'scmprovider.promoter.argoproj.io/finalizer',
    `Waiting until no GitRepository in this namespace still references this provider. ${DANGLING}`,
  ],
]);

/** GitOps Promoter (gitops-promoter.readthedocs.io). */
export const promoter: HealthRules = {
  'promoter.argoproj.io/ArgoCDCommitStatus': [
    ...named('Argo CD commit status'),
    degraded(absent('status.applicationsSelected.0'), 'Argo CD commit status has no applications configured'),
    healthy(otherwise, (_, { status }) => {
      return `Argo CD commit status is healthy and is tracking ${listAt(status, 'applicationsSelected').length} applications`;
    }),
  ],
  'promoter.argoproj.io/ChangeTransferPolicy': [...named('change transfer policy'), policyHealth],
  'promoter.argoproj.io/CommitStatus': [
    ...named('commit status'),
    healthy(otherwise, (_, { status }) => {
      return `Commit status for commit ${short(textAt(status, 'sha') ?? '')} reports ${textAt(status, 'phase') ?? 'nothing'}`;
    }),
  ],
  'promoter.argoproj.io/PromotionStrategy': [...named('promotion strategy'), strategyHealth],
  'promoter.argoproj.io/PullRequest': [...named('pull request'), healthy(otherwise, 'Pull request is {status.state|reconciled}')],
  'promoter.argoproj.io/ScmProvider': validated('ScmProvider', 'SCM provider'),
  'promoter.argoproj.io/ClusterScmProvider': validated('ClusterScmProvider', 'cluster SCM provider'),
  'promoter.argoproj.io/GitRepository': validated('GitRepository', 'git repository'),
  'promoter.argoproj.io/GitCommitStatus': checking('GitCommitStatus', 'git commit validation', 'Git commit validation'),
  'promoter.argoproj.io/TimedCommitStatus': checking('TimedCommitStatus', 'timed commit validation', 'Timed commit validation'),
  'promoter.argoproj.io/WebRequestCommitStatus': checking(
    'WebRequestCommitStatus',
    'web request commit validation',
    'Web request validation',
  ),
};
