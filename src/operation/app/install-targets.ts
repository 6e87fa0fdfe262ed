import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { App, InstancePermissions } from '../../domain/app/app.ts';
import { isAppAllowed } from '../../domain/environment/allowed-apps.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { permissionsIn } from '../instance/instance-permissions.ts';
import { listEnvironments } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';
import { findApp } from './find-app.ts';
import { showApp } from './show-app.ts';

/** An App with the environments that the actor sees and what they may do with it there. */
export interface InstallTargets {
  readonly app: App;
  readonly targets: readonly {
    readonly environment: EnvironmentView;
    readonly permissions: InstancePermissions;
    /** By the Environment. */
    readonly allowed: boolean;
  }[];
}

/** Where the actor could install an App. */
export async function installTargets(ports: Ports, actor: Actor, id: string): Promise<InstallTargets> {
  const shown = await showApp(ports, actor, id);
  // Whoever chooses a preset sends its values as their own.
  const app = { ...shown, presets: findApp(ports, actor, id).kindBlock.presets };
  const environments = await listEnvironments(ports, actor);
  const targets = await pMap(
    environments,
    async (environment) => ({
      environment,
      permissions: await permissionsIn(ports, actor, { app, namespace: environment.namespace }),
      allowed: isAppAllowed(environment.allowedApps, app),
    }),
    { concurrency: 4 },
  );
  return { app, targets };
}
