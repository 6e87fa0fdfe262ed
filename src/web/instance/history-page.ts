import { Router } from 'express';
import type { InstanceHistory, RevisionView } from '../../operation/instance/instance-history.ts';
import { instanceFrame, type FrameInput, type InstanceFrame, instanceTabPath } from './instance-frame.ts';
import { addressOf, instanceCrumbs } from './instance-routes.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath } from '../page/paths.ts';
import { rollbackValuesView, type ValueChangesView } from '../page/value-changes-view.ts';

/** An earlier revision as a part of a view of `environments/instances/history`. */
interface RevisionRow extends Pick<RevisionView, 'revision' | 'replaced' | 'user'> {
  readonly changes: ValueChangesView;
  /** The form with its values; empty without the permission, and where it is the same as what is live. */
  readonly rollbackHref: string;
}

/** A view of `environments/instances/history`. */
interface HistoryPage extends InstanceFrame {
  readonly revisions: readonly RevisionRow[];
  readonly missing: readonly string[];
  readonly jsonHref: string;
  /** Prints the same. */
  readonly command: string;
}

/** The earlier revisions of an Instance, each with what a rollback would change. The rollback itself is a change in the form. */
export function historyRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/environments/:environment/instances/:app/:name/history',
    page(deps, (visit) => showHistory(deps, visit)),
  );
  return router;
}

async function showHistory({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor } = visit;
  const address = addressOf(visit);
  const [history, instance, environment, permissions] = await Promise.all([
    operations.listRevisions(actor, address),
    operations.showInstance(actor, address),
    operations.showEnvironment(actor, address.environment),
    operations.instancePermissions(actor, address),
  ]);
  const model = historyPage(history, { instance, environment, permissions });
  return {
    view: 'environments/instances/history',
    title: `History of ${address.name} in ${model.environment.displayName}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, 'History'),
    model,
  };
}

function historyPage({ revisions, missing }: InstanceHistory, around: FrameInput): HistoryPage {
  const { instance, permissions } = around;
  const path = instancePath(instance);
  const canChange = permissions.update && !instance.deleting;
  return {
    ...instanceFrame(around, 'history'),
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
