import { releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import { type RequestHandler, Router } from 'express';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { quoted } from '../../domain/instance/instance-commands.ts';
import type { RevealedValue } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { ConnectionKeyView, ConnectionView } from '../../operation/connection/show-connection.ts';
import type { InstanceReading } from '../../operation/instance/list-events.ts';
import { deletePage, needsName } from './delete-page.ts';
import type { FrameInput, InstanceFrame } from './instance-frame.ts';
import { missingSentence } from '../page/message-page.ts';
import { gitOwnerPart } from '../proposal/proposal-routes.ts';
import { expiryPart, instanceLive, instancePage } from './instance-page.ts';
import { resourcesLive, resourcesTab } from './resources-tab.ts';
import { workloadsLive, workloadsTab } from './workloads-tab.ts';
import { type Answer, page, paramsOf, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import { environmentPath, instancePath } from '../page/paths.ts';
import type { RevealedKey } from '../../operation/connection/reveal-connection-key.ts';
import type { InstanceAddress } from '../../operation/instance/find-instance.ts';
import type { Crumb } from '../page/shell.ts';
import { unfitValues } from './version-moves.ts';

/** Between two readings of a live page if no watch reports a change; permissions are checked again as often. */
const INTERVAL_MS = 8_000;

const ROUTE = '/environments/:environment/instances/:app/:name';

/** The page of an Instance, its live stream, and its end. Changing it is `change-routes.ts`. */
export function instanceRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, (visit) => showInstance(deps, visit)),
  );
  router.post(
    `${ROUTE}/reveal`,
    page(deps, (visit) => reveal(deps, visit)),
  );
  router.post(
    `${ROUTE}/connection/reveal`,
    page(deps, async (visit) => showInstance(deps, visit, { key: await revealKey(deps, visit) })),
  );
  router.post(
    `${ROUTE}/connection/copy`,
    page(deps, async (visit) => ({ plainText: (await revealKey(deps, visit)).value })),
  );
  router.get(`${ROUTE}/stream`, stream(deps, overviewStream(deps)));
  for (const tab of TABS) {
    router.get(
      `${ROUTE}/${tab.path}`,
      page(deps, (visit) => showTab(deps, visit, tab)),
    );
    router.get(`${ROUTE}/${tab.path}/stream`, stream(deps, tab.live));
  }
  router.get(
    `${ROUTE}/delete`,
    page(deps, (visit) => confirmDelete(deps, visit)),
  );
  router.post(
    `${ROUTE}/delete`,
    page(deps, (visit) => doDelete(deps, visit)),
  );
  return router;
}

/** The address of an Instance in a request. */
export function addressOf({ param }: Pick<Visit, 'param'>): InstanceAddress {
  return { environment: param('environment'), app: param('app'), name: param('name') };
}

/** The number of a revision in a parameter; undefined for anything else. */
export function revisionIn({ query }: Pick<Visit, 'query'>, name: string): number | undefined {
  const text = query.get(name) ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** The way to an Instance's page, and below it. */
export function instanceCrumbs(address: InstanceAddress, environment: Pick<EnvironmentView, 'displayName'>, below?: string): Crumb[] {
  const crumbs = [
    { label: 'Environments', href: '/environments' },
    { label: environment.displayName === '' ? address.environment : environment.displayName, href: environmentPath(address.environment) },
  ];
  return below === undefined
    ? [...crumbs, { label: address.name }]
    : [...crumbs, { label: address.name, href: instancePath(address) }, { label: below }];
}

/** One value at a time, on the page that names it. */
async function reveal(deps: WebDeps, visit: Visit): Promise<Answer> {
  const path = visit.body.get('path') ?? '';
  const value = await deps.operations.revealValue(visit.actor, { ...addressOf(visit), path, ...visit.requestOrigin });
  return await showInstance(deps, visit, { value });
}

/** One key of the connection: shown, or copied by the page without being shown. */
async function revealKey({ operations }: WebDeps, visit: Visit): Promise<RevealedKey> {
  const key = visit.body.get('key') ?? '';
  return await operations.revealConnectionKey(visit.actor, { ...addressOf(visit), key, ...visit.requestOrigin });
}

/** What somebody has asked for just now. */
interface Revealed {
  readonly value?: RevealedValue;
  readonly key?: RevealedKey;
}

async function showInstance(deps: WebDeps, visit: Visit, { value, key }: Revealed = {}): Promise<Answer> {
  const { operations } = deps;
  const { actor } = visit;
  const [{ reading, ...around }, app] = await Promise.all([readFrame(deps, visit), operations.showApp(actor, visit.param('app'))]);
  const address = addressOf(visit);
  const [connection, owner] = await Promise.all([
    readConnection(operations, { actor, address, reading, ...(key === undefined ? {} : { key }) }),
    operations.showOwner(actor, { ...address, instance: reading.instance }),
  ]);
  const canMove = around.permissions.update && !reading.instance.deleting;
  const unfit = canMove ? await unfitValues(operations, actor, { app, instance: reading.instance }) : undefined;
  const shown = instancePage(reading, { app, ...around, ...(value === undefined ? {} : { revealed: value }) });
  const model = {
    ...shown,
    live: { ...shown.live, ...expiryPart(reading.instance, deps.publicUrl), connection },
    ...(unfit === undefined ? {} : { unfit }),
    ...gitOwnerPart(owner, `${instancePath(address)}/edit${around.permissions.update ? '' : '?ask'}`),
  };
  return tabPage(model, { view: 'show', visit, environment: around.environment });
}

interface ConnectionInput {
  readonly actor: Actor;
  readonly address: InstanceAddress;
  readonly reading: InstanceReading;
  readonly key?: RevealedKey;
}

async function readConnection(
  operations: Pick<WebDeps['operations'], 'showConnection'>,
  { actor, address, reading, key }: ConnectionInput,
): Promise<ConnectionCard> {
  return connectionCard({
    connection: await operations.showConnection(actor, { ...address, reading }),
    href: instancePath(address),
    namespace: releaseNamespaceOf(reading.instance.object),
    ...(key === undefined ? {} : { revealed: key }),
  });
}

/** A tab that needs nothing but the reading. */
interface ReadingTab {
  /** Below the page of the Instance, and the name of its view. */
  readonly path: string;
  readonly label: string;
  model(reading: InstanceReading, around: Omit<FrameInput, 'instance'>, query: URLSearchParams): InstanceFrame;
  readonly live: TabStream;
}

const TABS: readonly ReadingTab[] = [
  {
    path: 'resources',
    label: 'Resources',
    model: resourcesTab,
    live: { view: 'environments/instances/resources-live', model: async (reading, { query }) => resourcesLive(reading, query) },
  },
  {
    path: 'workloads',
    label: 'Workloads',
    model: workloadsTab,
    live: { view: 'environments/instances/workloads-live', model: async (reading) => workloadsLive(reading) },
  },
];

async function showTab(deps: WebDeps, visit: Visit, { path, label, model }: ReadingTab): Promise<Answer> {
  const { reading, ...around } = await readFrame(deps, visit);
  return tabPage(model(reading, around, visit.query), { view: path, visit, environment: around.environment, below: label });
}

/** What every tab shows something of. */
async function readFrame({ operations }: WebDeps, visit: Visit): Promise<{ reading: InstanceReading } & Omit<FrameInput, 'instance'>> {
  const { actor } = visit;
  const address = addressOf(visit);
  const [reading, environment, permissions] = await Promise.all([
    operations.readInstance(actor, address),
    operations.showEnvironment(actor, address.environment),
    operations.instancePermissions(actor, address),
  ]);
  return { reading, environment, permissions };
}

interface TabInput {
  /** Below `environments/instances`. */
  readonly view: string;
  readonly visit: Visit;
  readonly environment: EnvironmentView;
  /** The name of the tab; absent for the first one. */
  readonly below?: string;
}

function tabPage(model: InstanceFrame, { view, visit, environment, below }: TabInput): Answer {
  const address = addressOf(visit);
  const subject = `${address.name} in ${model.environment.displayName}`;
  return {
    view: `environments/instances/${view}`,
    title: below === undefined ? subject : `${below} of ${subject}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, below),
    model,
  };
}

/** How a tab is kept up to date: what it shows of a reading, and by which view. */
interface TabStream {
  readonly view: string;
  model(
    reading: InstanceReading,
    request: {
      readonly actor: Actor;
      readonly address: InstanceAddress;
      readonly query: URLSearchParams;
      readonly operations: Pick<WebDeps['operations'], 'showConnection'>;
    },
  ): Promise<object>;
}

function overviewStream({ operations, publicUrl }: WebDeps): TabStream {
  return {
    view: 'environments/instances/live',
    model: async (reading, { actor, address, operations: followed }) => {
      const app = await operations.showApp(actor, address.app);
      return {
        ...instanceLive(reading, app),
        ...expiryPart(reading.instance, publicUrl),
        connection: await readConnection(followed, { actor, address, reading }),
      };
    },
  };
}

/** Only what a tab shows is compared and kept between two readings. */
function stream({ operations, views, streams }: WebDeps, tab: TabStream): RequestHandler {
  return async (request, response) => {
    const address = addressOf(paramsOf(request));
    const query = queryOf(request);
    await streams.answer<{ readonly model: object; readonly status: string }>(request, response, {
      key: request.originalUrl,
      intervalMs: INTERVAL_MS,
      reader: (actor, series) => {
        const followed = operations.follow(actor, series);
        return async () => {
          const reading = await followed.readInstance(actor, address);
          const model = await tab.model(reading, { actor, address, query, operations: followed });
          return { model, status: reading.instance.deleting ? 'Deleting' : reading.tree.health.status };
        };
      },
      render: ({ model, status }) => ({ html: views.render(tab.view, model), status }),
    });
  };
}

async function confirmDelete({ operations }: WebDeps, visit: Visit, fault?: string): Promise<Answer> {
  const address = addressOf(visit);
  const [instance, preflight, environment] = await Promise.all([
    operations.showInstance(visit.actor, address),
    operations.preflightDeletion(visit.actor, address),
    operations.showEnvironment(visit.actor, address.environment),
  ]);
  return {
    view: 'environments/instances/delete',
    title: `${fault === undefined ? '' : 'Error: '}Delete ${address.name}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, 'Delete'),
    model: deletePage({ instance, preflight }, environment, fault),
    ...(fault === undefined ? {} : { status: 422 }),
  };
}

async function doDelete(deps: WebDeps, visit: Visit): Promise<Answer> {
  const address = addressOf(visit);
  const environment = await deps.operations.showEnvironment(visit.actor, address.environment);
  if (needsName(environment) && visit.body.get('name')?.trim() !== address.name) {
    return confirmDelete(deps, visit, `Type ${address.name} to delete it`);
  }
  await deps.operations.deleteInstance(visit.actor, { ...address, ...visit.requestOrigin });
  return { redirect: `${environmentPath(address.environment)}?deleted=${encodeURIComponent(address.name)}` };
}

/** How an instance is reached: a model of `parts/connection`. */
interface ConnectionCard {
  readonly keys: readonly KeyRow[];
  readonly services: readonly { readonly name: string; readonly address: string }[];
  readonly secrets: readonly string[];
  /** Why there is nothing. */
  readonly isEmpty: boolean;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
  readonly revealAction: string;
  readonly copyAction: string;
  /** A key is shown: the card stays as it is while the page is open. */
  readonly isRevealing: boolean;
}

interface KeyRow {
  readonly name: string;
  readonly label: string;
  /** Empty when the label says it. */
  readonly note: string;
  readonly description: string;
  readonly state: 'value' | 'masked' | 'revealed' | 'denied' | 'unavailable';
  readonly value: string;
  /** Where a secret value is. */
  readonly from: string;
  /** Why there is no value. */
  readonly message: string;
}

export interface CardInput {
  readonly connection: ConnectionView;
  /** The key that was asked for just now. */
  readonly revealed?: RevealedKey;
  /** The page of the instance. */
  readonly href: string;
  readonly namespace: string;
}

/** Commands at most. */
const MAX_COMMANDS = 12;

function connectionCard({ connection, revealed, href, namespace }: CardInput): ConnectionCard {
  const { keys, services, secrets } = connection;
  const commands = [
    ...keys.flatMap(({ label, kubectl }) => (kubectl === undefined ? [] : [{ label, text: kubectl }])),
    ...services.flatMap(({ address, portForward }) => (portForward === undefined ? [] : [{ label: address, text: portForward }])),
    ...secrets.map((name) => ({
      label: `Keys of the Secret ${name}`,
      text: `kubectl describe secret ${quoted(name)} --namespace ${quoted(namespace)}`,
    })),
  ];
  return {
    keys: keys.map((key) => keyRow(key, revealed)),
    services,
    secrets,
    isEmpty: keys.length + services.length + secrets.length === 0,
    commands: commands.slice(0, MAX_COMMANDS),
    isRevealing: revealed !== undefined,
    revealAction: `${href}/connection/reveal`,
    copyAction: `${href}/connection/copy`,
  };
}

function keyRow(
  { name, label, description, kind, value = '', secret, missing, message = '' }: ConnectionKeyView,
  revealed?: RevealedKey,
): KeyRow {
  const reason = missing === undefined ? message : missingSentence(missing);
  const row = { name, label, note: label.toLowerCase() === name ? '' : name, description, value: '', from: '', message: reason };
  if (kind === 'Value') return { ...row, state: 'value', value };
  if (kind === 'Unavailable') return { ...row, state: 'unavailable' };
  const from = secret === undefined ? '' : `Secret ${secret.name}, key ${secret.key}`;
  if (revealed?.key !== name) return { ...row, state: missing === undefined ? 'masked' : 'denied', from };
  const encoding = revealed.encoding === 'base64' ? `${from}, in base64: the bytes are no text` : from;
  return { ...row, state: 'revealed', value: revealed.value, from: encoding };
}
