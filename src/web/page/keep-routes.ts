import { Router } from 'express';
import type { DeletedAddress } from '../../operation/keep-deleted.ts';
import { page, type Visit, type WebDeps } from './page.ts';
import { APP_DEFINITIONS_PATH, appDefinitionPath, environmentPath, operatorPath, sourcePath } from './paths.ts';

/** Below the address of an object: cancels its deletion. */
const CANCEL_DELETION = 'cancel-deletion';

/** The button of a page of what is being deleted. */
export function keepButton(path: string): {
  readonly label: string;
  readonly action: string;
  readonly symbol: string;
  readonly primary: boolean;
  readonly help: string;
} {
  const help = 'Cancel the deletion: nothing is uninstalled';
  return { label: 'Keep', action: `${path}/${CANCEL_DELETION}`, symbol: 'check', primary: true, help };
}

interface Deleted {
  readonly route: string;
  readonly address: (param: Visit['param']) => DeletedAddress;
  readonly path: (param: Visit['param']) => string;
}

const DELETED: readonly Deleted[] = [
  {
    route: '/operators/:namespace/:name',
    address: (param) => ({ kind: 'Operator', namespace: param('namespace'), name: param('name') }),
    path: (param) => operatorPath({ namespace: param('namespace'), name: param('name') }),
  },
  {
    route: `${APP_DEFINITIONS_PATH}/:name`,
    address: (param) => ({ kind: 'AppDefinition', name: param('name') }),
    path: (param) => appDefinitionPath(param('name')),
  },
  {
    route: '/environments/:environment',
    address: (param) => ({ kind: 'Environment', name: param('environment') }),
    path: (param) => environmentPath(param('environment')),
  },
  {
    route: '/sources/:name',
    address: (param) => ({ kind: 'CatalogSource', name: param('name') }),
    path: (param) => sourcePath(param('name')),
  },
];

/** Cancelling the deletion of what still waits for its finalizer. */
export function keepRoutes(deps: WebDeps): Router {
  const router = Router();
  for (const { route, address, path } of DELETED) {
    router.post(
      `${route}/${CANCEL_DELETION}`,
      page(deps, async ({ actor, param, requestOrigin }) => {
        await deps.operations.keepDeleted(actor, { ...address(param), ...requestOrigin });
        return { redirect: `${path(param)}?asked=${CANCEL_DELETION}` };
      }),
    );
  }
  return router;
}
