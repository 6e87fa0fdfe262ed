import { Router } from 'express';
import type { FieldFault } from '../../domain/core/errors.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { InstanceView, Preflight } from '../../domain/instance/instance.ts';
import { decideMigration } from '../../form/migration/decide-migration.ts';
import { findingsView, type FindingsView } from '../page/findings-view.ts';
import { faultsOfRejection } from './instance-form.ts';
import { addressOf, instanceCrumbs } from './instance-routes.ts';
import { missingSentence } from '../page/message-page.ts';
import { decisionsIn, migrationPage } from './migration-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath } from '../page/paths.ts';
import type { InstanceMigration } from '../../operation/instance/preview-migration.ts';

const ROUTE = '/environments/:environment/instances/:app/:name/migration';

/** Moving an Instance to another version of its kind, or to the present schema: each field that needs it is decided, then written once. */
export function migrationRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, async (visit) => show(await start(deps, visit), { body: visit.body, faults: [] })),
  );
  router.post(
    ROUTE,
    page(deps, async (visit) => await decide(deps, await start(deps, visit))),
  );
  return router;
}

interface MigrationContext {
  readonly visit: Visit;
  readonly instance: InstanceView;
  readonly environment: EnvironmentView;
  readonly migration: InstanceMigration;
}

interface Draft {
  readonly body: URLSearchParams;
  readonly faults: readonly FieldFault[];
  /** What would happen, and the same for automation. */
  readonly outcome?: { readonly findings: FindingsView; readonly commands: readonly { readonly label: string; readonly text: string }[] };
}

async function start({ operations }: WebDeps, visit: Visit): Promise<MigrationContext> {
  const address = { ...addressOf(visit), version: visit.query.get('version') ?? '' };
  const [instance, environment, migration] = await Promise.all([
    operations.showInstance(visit.actor, address),
    operations.showEnvironment(visit.actor, address.environment),
    operations.previewInstanceMigration(visit.actor, address),
  ]);
  return { visit, instance, environment, migration };
}

/** Writes when everything is decided, nothing stands against it, and it was asked for; shows what would happen otherwise. */
async function decide({ operations }: WebDeps, context: MigrationContext): Promise<Answer> {
  const { visit, migration } = context;
  const { body, actor } = visit;
  const { values: spec, faults } = decideMigration(migration.values, migration.rows, decisionsIn(body, migration.rows));
  if (faults.length > 0) return show(context, { body, faults });
  const change = { ...addressOf(visit), version: migration.version, spec, specVersion: body.get('specVersion') ?? '' };
  try {
    const preflight = await operations.preflightChange(actor, change);
    if (preflight.verdict === 'Ready' && body.get('_do') === 'move') {
      return { redirect: instancePath(await operations.updateInstance(actor, { ...change, ...visit.requestOrigin })) };
    }
    return show(context, { body, faults: [], outcome: outcomeOf(preflight) });
  } catch (error) {
    const rejected = faultsOfRejection(error);
    if (rejected === undefined) throw error;
    return show(context, { body, faults: rejected });
  }
}

function outcomeOf({ findings, missing, commands }: Preflight): NonNullable<Draft['outcome']> {
  const lacking = missing.map(
    (permission) => ({ message: missingSentence(permission), subject: 'Permission', evidence: 'exact' }) as const,
  );
  return {
    findings: findingsView({ ...findings, blocked: lacking.length > 0 ? lacking : findings.blocked }),
    commands: [
      { label: 'Resource to apply', text: commands.yaml },
      { label: 'With kubectl', text: commands.kubectl },
      { label: 'With curl', text: commands.curl },
    ],
  };
}

function show({ instance, environment, migration }: MigrationContext, { outcome, ...draft }: Draft): Answer {
  const wrong = draft.faults.length > 0;
  return {
    view: 'environments/instances/migration',
    title: `${wrong ? 'Error: ' : ''}Move ${instance.name} to ${migration.version}`,
    section: 'environments',
    crumbs: instanceCrumbs(instance, environment, `Move to ${migration.version}`),
    model: { ...migrationPage(instance, migration, draft), ...outcome },
    ...(wrong ? { status: 422 } : {}),
  };
}
