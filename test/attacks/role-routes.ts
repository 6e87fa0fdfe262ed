import { objectAt, textsAt, listAt, at } from '../../src/domain/core/read.ts';
import { ROUTES } from '../../src/api/routes.ts';
import type { JsonSchema, Route } from '../../src/api/route.ts';
import { ATTACKED, FOREIGN } from './people.ts';
import type { Target } from './target.ts';

/** Roles and the environment in which they try the routes: viewers their own, developers and maintainers one of other people. */
const TRIED_IN = { stranger: ATTACKED, viewer: ATTACKED, developer: FOREIGN, maintainer: FOREIGN } as const;
type Role = keyof typeof TRIED_IN;

/** Routes about the person alone, or about what they see of what there is; those of saved configurations and requests take what somebody makes for themselves. */
const FOR_EVERYBODY = new Set([
  'showMe',
  'listApps',
  'showApp',
  'showForm',
  'listEnvironments',
  'listSavedConfigurations',
  'saveConfiguration',
  'listChangeRequests',
  'listProposals',
  'showTierBoard',
]);

export interface RouteRow {
  readonly what: string;
  readonly outcomes: Readonly<Record<Role, 'rejected' | 'own' | 'BEYOND'>>;
}

/** Calls every route of the API with what its own schema says is valid. */
export async function sweepRoutes(target: Target): Promise<RouteRow[]> {
  const rows: RouteRow[] = [];
  for (const route of ROUTES) {
    const outcomes = await Promise.all((Object.keys(TRIED_IN) as Role[]).map(async (role) => [role, await outcomeOf(target, route, role)]));
    rows.push({ what: `${route.method.toUpperCase()} ${route.path}`, outcomes: Object.fromEntries(outcomes) as RouteRow['outcomes'] });
  }
  return rows;
}

async function outcomeOf(target: Target, route: Route, role: Role): Promise<'rejected' | 'own' | 'BEYOND'> {
  const environment = TRIED_IN[role];
  const body = route.body === undefined ? {} : { body: sampleOf(route.body, environment) };
  const { status } = await target.call(role, `/api/v1${pathOf(route.path, environment)}`, { method: route.method.toUpperCase(), ...body });
  if (status >= 400) return 'rejected';
  const reads = route.method === 'get' && role === 'viewer' && route.path.startsWith('/environments/{environment}');
  return FOR_EVERYBODY.has(route.operationId) || reads ? 'own' : 'BEYOND';
}

function pathOf(path: string, environment: string): string {
  const operator = path.startsWith('/operators');
  const values: Record<string, string> = {
    environment,
    app: 'caches.samples.chandlery.dev',
    name: operator ? 'cache' : 'prey',
    namespace: 'chandlery-system',
    resource: 'secrets',
  };
  return path.replaceAll(/\{(\w+)\}/g, (_match, key: string) => values[key] ?? 'attempt');
}

/** Something that a schema takes, with what it requires alone. */
function sampleOf(schema: JsonSchema, environment: string): unknown {
  const options = [...listAt(schema, 'enum'), ...(at(schema, 'const') === undefined ? [] : [at(schema, 'const')])];
  if (options.length > 0) return options[0];
  const [branch] = [...listAt(schema, 'oneOf'), ...listAt(schema, 'anyOf')];
  if (branch !== undefined) return sampleOf(branch as JsonSchema, environment);
  switch (at(schema, 'type')) {
    case 'string':
      return 'prey';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    default:
      return Object.fromEntries(
        textsAt(schema, 'required').map((key) => [
          key,
          KNOWN[key] ?? (key === 'environment' ? environment : sampleOf(objectAt(schema, 'properties', key), environment)),
        ]),
      );
  }
}

const KNOWN: Readonly<Record<string, unknown>> = {
  app: 'caches.samples.chandlery.dev',
  spec: { replicas: 1 },
  metadata: { name: 'prey', namespace: 'chandlery-system' },
};
