import { listAt, textAt, textsAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import {
  absent,
  condition,
  conditionAs,
  conditionOutdated,
  degraded,
  deleted,
  evenWhenDeleted,
  healthy,
  not,
  otherwise,
  progressing,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';
import { environmentsHealth, policyHealth, short, strategyHealth } from './promotion.ts';

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
    .slice(0, MOST_FINALIZERS)
    .map((finalizer) => ({ finalizer, text: FINALIZERS.get(finalizer) }))
    .flatMap(({ finalizer, text }) => (text === undefined ? [] : [` ${finalizer}: ${text}`]));
  return texts.length === 0 ? '' : `.${texts.join('')}`;
}

const MOST_FINALIZERS = 20;

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
