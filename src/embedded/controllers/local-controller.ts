import type { KubeObject } from '../../domain/kubernetes/resource.ts';

/** A controller that a Deployment asks for, and that has to run as a local process because pods are simulated. */
export interface LocalController {
  /** Of the Deployment. */
  readonly namespace: string;
  /** Of the Deployment. */
  readonly name: string;
  /** A name of the program table. */
  readonly program: string;
  /** Whose permissions it has. */
  readonly account: string;
}

/** The annotation of a pod template that names the program. */
const CONTROLLER_ANNOTATION = 'chandlery.dev/controller';

/** The controller that a Deployment asks for; undefined when it asks for none, wants no replicas or is being deleted. */
export function localControllerOf(deployment: KubeObject): LocalController | undefined {
  const { namespace, name, deletionTimestamp } = deployment.metadata;
  const spec = deployment.spec as DeploymentSpec | undefined;
  const program = spec?.template?.metadata?.annotations?.[CONTROLLER_ANNOTATION];
  if (typeof program !== 'string' || namespace === undefined || deletionTimestamp !== undefined || spec?.replicas === 0) return undefined;
  return { namespace, name, program, account: spec?.template?.spec?.serviceAccountName ?? 'default' };
}

/** The part of the api-server's own, validated Deployment that is read here. */
interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: {
    readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> };
    readonly spec?: { readonly serviceAccountName?: string };
  };
}
