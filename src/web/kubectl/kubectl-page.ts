import { Router } from 'express';
import { isAppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Operations } from '../../operation/operations.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { environmentPath, KUBECONFIG_PATH, kubectlPath, KUBECTL_PATH } from '../page/paths.ts';
import { yamlText } from '../page/yaml-text.ts';

/** A view of `account/kubectl`. */
export interface KubectlPage {
  readonly user: string;
  readonly environment: string;
  readonly environmentHref: string;
  /** Why there is no kubeconfig; empty when there is one. */
  readonly unavailable: string;
  readonly downloadHref: string;
  readonly fileName: string;
  readonly kubeconfig: string;
  readonly commands: { readonly cli: string; readonly use: string };
  readonly others: readonly { readonly name: string; readonly href: string; readonly current: boolean }[];
}

/** How somebody uses kubectl as themselves, and their kubeconfig as a file. */
export function kubectlRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    KUBECTL_PATH,
    page(deps, async (visit) => await show(deps, visit)),
  );
  router.get(
    KUBECONFIG_PATH,
    page(deps, async ({ actor, query }) => {
      const environment = query.get('environment') ?? '';
      return {
        fileName: fileNameOf(environment),
        type: 'text/yaml',
        text: yamlText(await kubeconfigOf(deps.operations, actor, environment)),
      };
    }),
  );
  return router;
}

async function kubeconfigOf(operations: Operations, actor: Actor, environment: string): Promise<object> {
  return await operations.showKubeconfig(actor, environment === '' ? {} : { environment });
}

async function show({ operations, publicUrl }: WebDeps, { actor, query }: Visit): Promise<Answer> {
  const environment = query.get('environment') ?? '';
  const [found, environments] = await Promise.all([readOrWhy(operations, actor, environment), operations.listEnvironments(actor)]);
  const fileName = fileNameOf(environment);
  const option = environment === '' ? '' : ` -e ${environment}`;
  const model: KubectlPage = {
    user: actor.user,
    environment,
    environmentHref: environment === '' ? '' : environmentPath(environment),
    unavailable: 'unavailable' in found ? found.unavailable : '',
    downloadHref: `${KUBECONFIG_PATH}${environment === '' ? '' : `?environment=${encodeURIComponent(environment)}`}`,
    fileName,
    kubeconfig: 'kubeconfig' in found ? yamlText(found.kubeconfig) : '',
    commands: {
      cli: `chandlery login ${publicUrl}\nchandlery kubeconfig${option} > ${fileName}`,
      use: `export KUBECONFIG=$PWD/${fileName}\nkubectl auth whoami\nkubectl get managed-apps`,
    },
    others: environments.map(({ name }) => ({ name, href: kubectlPath(name), current: name === environment })),
  };
  return { view: 'account/kubectl', title: 'Use kubectl', section: 'none', model };
}

type Found = { readonly kubeconfig: object } | { readonly unavailable: string };

async function readOrWhy(operations: Operations, actor: Actor, environment: string): Promise<Found> {
  try {
    return { kubeconfig: await kubeconfigOf(operations, actor, environment) };
  } catch (error) {
    if (isAppError(error, 'KubectlUnavailable')) return { unavailable: error.message };
    throw error;
  }
}

function fileNameOf(environment: string): string {
  return environment === '' ? 'chandlery.kubeconfig' : `${environment}.kubeconfig`;
}
