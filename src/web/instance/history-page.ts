import { Router } from 'express';
import { at, numberAt, textAt } from '../../domain/core/read.ts';
import type { InstanceHistory, RevisionView } from '../../operation/instance/instance-history.ts';
import { instanceFrame, type FrameInput, type InstanceFrame, instanceTabPath } from './instance-frame.ts';
import { addressOf, instanceCrumbs, revisionIn } from './instance-routes.ts';
import { missingSentence } from '../page/message-page.ts';
import type { ReleaseRevision, ReleaseRevisionValues } from '../../operation/instance/release-revisions.ts';
import type { Badge } from '../page/badges.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath } from '../page/paths.ts';
import { releasedValuesView, rollbackValuesView, type ValueChangesView } from '../page/value-changes-view.ts';
import { yamlText } from '../page/yaml-text.ts';

/** An earlier revision as a part of a view of `environments/instances/history`. */
interface RevisionRow extends Pick<RevisionView, 'revision' | 'replaced' | 'user'> {
  readonly changes: ValueChangesView;
  /** The form with its values; empty without the permission, and where it is the same as what is live. */
  readonly rollbackHref: string;
}

/** A revision of the Helm release of an instance of a chart. */
interface ReleaseRow extends Pick<ReleaseRevision, 'revision' | 'version' | 'time'> {
  readonly state: Badge;
  readonly note: string;
  readonly href: string;
}

/** The values of one revision of the release. */
interface ReleaseValues extends Pick<ReleaseRevisionValues, 'revision' | 'helm'> {
  readonly yaml: string;
  readonly changes: ValueChangesView;
  readonly missing: readonly string[];
}

/** A view of `environments/instances/history`. */
interface HistoryPage extends InstanceFrame {
  /** Empty where the instance is no release. */
  readonly releases: readonly ReleaseRow[];
  readonly values?: ReleaseValues;
  /** How the tests ended that somebody asked for last. */
  readonly test?: { readonly state: Badge; readonly message: string; readonly time: string };
  /** Runs the tests; empty without the permission. */
  readonly testAction: string;
  /** A changed release record; what undoes that, empty without the permission. */
  readonly changedRecord?: { readonly message: string; readonly action: string; readonly deleting: boolean };
  readonly revisions: readonly RevisionRow[];
  readonly missing: readonly string[];
  readonly jsonHref: string;
  /** Prints the same. */
  readonly command: string;
}

/** Requests about the release, by the end of their address. */
const REQUESTS = [
  ['test', 'requestInstanceTest'],
  ['reinstall', 'requestReinstallation'],
  ['forget', 'forgetRelease'],
] as const;

/** The earlier revisions of an Instance, each with what a rollback would change. The rollback itself is a change in the form. */
export function historyRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/environments/:environment/instances/:app/:name/history',
    page(deps, (visit) => showHistory(deps, visit)),
  );
  for (const [step, operation] of REQUESTS) {
    router.post(
      `/environments/:environment/instances/:app/:name/${step}`,
      page(deps, async (visit) => {
        const address = addressOf(visit);
        await deps.operations[operation](visit.actor, { ...address, at: new Date().toISOString(), ...visit.requestOrigin });
        return { redirect: instanceTabPath(address, 'history') };
      }),
    );
  }
  return router;
}

async function showHistory({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor } = visit;
  const address = addressOf(visit);
  const wanted = revisionIn(visit, 'release');
  const [history, { revisions: releases }, values, instance, environment, permissions] = await Promise.all([
    operations.listRevisions(actor, address),
    operations.listReleaseRevisions(actor, address),
    wanted === undefined ? undefined : operations.showReleaseRevision(actor, { ...address, revision: wanted }),
    operations.showInstance(actor, address),
    operations.showEnvironment(actor, address.environment),
    operations.instancePermissions(actor, address),
  ]);
  const model = historyPage({ ...history, releases, ...(values === undefined ? {} : { values }) }, { instance, environment, permissions });
  return {
    view: 'environments/instances/history',
    title: `History of ${address.name} in ${model.environment.displayName}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, 'History'),
    model,
  };
}

interface WholeHistory extends InstanceHistory {
  readonly releases: readonly ReleaseRevision[];
  readonly values?: ReleaseRevisionValues;
}

function historyPage({ revisions, missing, releases, values }: WholeHistory, around: FrameInput): HistoryPage {
  const { instance, permissions } = around;
  const path = instancePath(instance);
  const canChange = permissions.update && !instance.deleting;
  return {
    ...instanceFrame(around, 'history'),
    releases: releases.map((release) => releaseRow(release, instanceTabPath(instance, 'history'))),
    ...(values === undefined ? {} : { values: releaseValues(values) }),
    ...testPart(instance),
    ...changedRecordPart(around),
    testAction: canChange && releases.length > 0 ? `${path}/test` : '',
    revisions: revisions.map(({ revision, replaced, user, changes }) => ({
      revision,
      replaced,
      user,
      changes: rollbackValuesView(changes, revision),
      rollbackHref: canChange && changes.length > 0 ? `${path}/edit?revision=${revision}` : '',
    })),
    missing: missing.map(missingSentence),
    jsonHref: `/api/v1${instanceTabPath(instance, 'history').replace(/history$/, 'revisions')}`,
    command: `chandlery history ${instance.app}/${instance.name} --environment ${instance.environment}`,
  };
}

function changedRecordPart({ instance, permissions }: FrameInput): Pick<HistoryPage, 'changedRecord'> {
  const released = instance.conditions.find(({ type }) => type === 'Released');
  if (released?.reason !== 'ReleaseRecordChanged') return {};
  const action = `${instancePath(instance)}/${instance.deleting ? 'forget' : 'reinstall'}`;
  return { changedRecord: { message: released.message, action: permissions.update ? action : '', deleting: instance.deleting } };
}

/** The outcome of the last tests; while others run, that they do. */
function testPart({ object, conditions }: FrameInput['instance']): Pick<HistoryPage, 'test'> {
  const condition = conditions.find(({ type }) => type === 'Tested');
  const last = at(object.status, 'lastTest');
  if (condition?.reason === 'Testing')
    return { test: { state: { tone: 'busy', symbol: 'busy', label: 'Running' }, message: condition.message, time: '' } };
  if (last === undefined) return {};
  const state: Badge =
    at(last, 'passed') === true ? { tone: 'good', symbol: 'check', label: 'Passed' } : { tone: 'bad', symbol: 'bad', label: 'Failed' };
  const message = `Revision ${numberAt(last, 'revision') ?? 0}: ${textAt(last, 'message') ?? ''}`;
  return { test: { state, message, time: textAt(last, 'time') ?? '' } };
}

function releaseRow({ revision, version, time, status, tested, healthy, rolledBackTo }: ReleaseRevision, path: string): ReleaseRow {
  const notes = [
    ...(healthy === undefined ? [] : [healthy ? 'became healthy' : 'did not become healthy']),
    ...(tested === undefined ? [] : [tested ? 'tests passed' : 'tests failed']),
    ...(rolledBackTo === undefined ? [] : [`rolled back to revision ${rolledBackTo}`]),
  ];
  return { revision, version, time, state: STATES[status], note: notes.join(', '), href: `${path}?release=${revision}#values` };
}

const STATES: Readonly<Record<ReleaseRevision['status'], Badge>> = {
  deployed: { tone: 'good', symbol: 'check', label: 'Deployed' },
  superseded: { tone: 'idle', label: 'Superseded' },
  failed: { tone: 'bad', symbol: 'bad', label: 'Failed' },
  'rolled-back': { tone: 'warn', symbol: 'warn', label: 'Rolled back' },
};

function releaseValues({ revision, before, helm, values, changes, missing }: ReleaseRevisionValues): ReleaseValues {
  return {
    revision,
    helm,
    yaml: Object.keys(values).length === 0 ? '' : yamlText(values),
    changes: releasedValuesView(changes, { revision, before }),
    missing: missing.map(missingSentence),
  };
}
