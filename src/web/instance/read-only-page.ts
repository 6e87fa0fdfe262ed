import type { App } from '../../domain/app/app.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { remedyFor } from '../../domain/preflight/remedy.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { missingSentence } from '../page/message-page.ts';
import { instancePath } from '../page/paths.ts';
import { yamlText } from '../page/yaml-text.ts';

/** A view of `environments/instances/read-only`: why somebody may not change an Instance, and what it is. */
export interface ReadOnlyPage {
  readonly name: string;
  readonly missing: string;
  /** A RoleBinding that would help. */
  readonly grant: string;
  readonly yaml: string;
  readonly backHref: string;
  /** The form all the same, to ask somebody else for the change. */
  readonly askHref: string;
}

export interface ReadOnlyInput {
  readonly instance: InstanceView;
  readonly environment: EnvironmentView;
  readonly app: App;
  readonly user: string;
}

export function readOnlyPage({ instance, environment, app, user }: ReadOnlyInput): ReadOnlyPage {
  const right = { verb: 'update', group: app.group, resource: app.plural, namespace: environment.namespace };
  return {
    name: instance.name,
    missing: missingSentence(right),
    grant: remedyFor({ user, right, apps: new Set([app.id]) }).yaml,
    yaml: yamlText(withoutStatus(instance.object)),
    backHref: instancePath(instance),
    askHref: `${instancePath(instance)}/edit?ask`,
  };
}

function withoutStatus({ status: _status, ...rest }: KubeObject): object {
  return rest;
}
