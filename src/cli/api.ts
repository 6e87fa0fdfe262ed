import { AppError } from '../domain/core/errors.ts';
import { listAt, textAt } from '../domain/core/read.ts';

/** A call of the REST API by the name of its route. */
export interface ApiRequest {
  /** The values of the placeholders of the path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  /** An ETag, quotes included: only if the resource is still that one. */
  readonly ifMatch?: string;
}

/**
 * The routes of the REST API, whoever carries them out: a Chandlery server, or this process with the identity of a kubeconfig. Throws the same AppErrors
 * in both cases.
 */
export interface Api {
  /** @param operationId as in the OpenAPI document. @returns the body of the answer. */
  call(operationId: string, request?: ApiRequest): Promise<unknown>;
  /** Where it is, for messages: the URL of a server, or that of an api-server. */
  readonly address: string;
  close(): Promise<void>;
}

const MAX_PAGE = '500';
const MAX_PAGES = 200;

/** All items of a list, page after page. */
export async function listAll(api: Api, operationId: string, request: ApiRequest = {}): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { ...request.query, limit: MAX_PAGE, ...(after === undefined ? {} : { after }) };
    const body = await api.call(operationId, { ...request, query });
    items.push(...listAt(body, 'items'));
    after = textAt(body, 'next');
    if (after === undefined) return items;
  }
  throw new AppError('TooLarge', `${operationId}: there are more than ${MAX_PAGES * Number(MAX_PAGE)} items`);
}

/** What names an app: its id, `<plural>.<group>`; its plural; or its kind. */
export async function findApp(api: Api, name: string): Promise<unknown> {
  const apps = await listAll(api, 'listApps');
  const wanted = name.toLowerCase();
  const exact = apps.find((app) => textAt(app, 'id') === wanted);
  if (exact !== undefined) return exact;
  const found = apps.filter((app) => [textAt(app, 'plural'), textAt(app, 'kind')?.toLowerCase()].includes(wanted));
  return onlyOne(found, { what: `app ${JSON.stringify(name)}`, nameOf: (app) => textAt(app, 'id') ?? '', all: 'chandlery apps' });
}

/** The one environment that was named, or that there is. */
export async function findEnvironment(api: Api, name: string | undefined): Promise<string> {
  if (name !== undefined) return name;
  const all = await listAll(api, 'listEnvironments');
  const names = all.map((environment) => textAt(environment, 'name') ?? '');
  if (names.length === 1) return names[0] ?? '';
  const which = names.length === 0 ? 'you can see none; ask an admin for a role in one' : `name one of ${names.slice(0, 20).join(', ')}`;
  throw new AppError('ConfigInvalid', `--environment: ${which}`);
}

/** The address of an instance, as placeholders of its routes. */
export type InstanceParams = Readonly<Record<'environment' | 'app' | 'name', string>>;

/**
 * The instance that `NAME` or `APP/NAME` names in an environment.
 *
 * @throws AppError `NotFound` when there is none; `ConfigInvalid` when several have that name.
 */
export async function findInstance(api: Api, environment: string | undefined, word: string): Promise<InstanceParams> {
  const [app, name] = word.includes('/') ? (word.split('/', 2) as [string, string]) : [undefined, word];
  const inEnvironment = await findEnvironment(api, environment);
  if (app?.includes('.') === true) return { environment: inEnvironment, app, name };
  const wanted = app === undefined ? undefined : textAt(await findApp(api, app), 'id');
  const instances = await listAll(api, 'listInstances', { params: { environment: inEnvironment } });
  const found = instances.filter((one) => textAt(one, 'name') === name && (wanted === undefined || textAt(one, 'app') === wanted));
  const one = onlyOne(found, {
    what: `instance ${JSON.stringify(word)} in environment ${JSON.stringify(inEnvironment)}`,
    nameOf: (instance) => `${textAt(instance, 'app') ?? ''}/${name}`,
    all: `chandlery status -e ${inEnvironment}`,
  });
  return { environment: inEnvironment, app: textAt(one, 'app') ?? '', name };
}

interface Naming {
  readonly what: string;
  readonly nameOf: (item: unknown) => string;
  /** The command that lists all. */
  readonly all: string;
}

function onlyOne(found: readonly unknown[], { what, nameOf, all }: Naming): unknown {
  if (found.length === 1) return found[0];
  if (found.length === 0) throw new AppError('NotFound', `${what}: there is none that you may see; "${all}" lists them`);
  throw new AppError('ConfigInvalid', `${what}: several have this name; write one of ${found.map(nameOf).join(', ')}`);
}
