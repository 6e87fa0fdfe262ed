import type { ChangeRequestSpec } from '../../domain/change-request/change-request-kind.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { formatPath } from '../../schema/form-path.ts';
import { sensitiveIn } from '../../schema/sensitive/mask.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { catalogEntries } from '../app/find-app.ts';
import { markedOf } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';

/**
 * The paths of secrets in a change request that did not come through Chandlery, which would have rejected it: everybody in the environment can read them.
 * An App that there is not is known by names alone.
 */
export function secretsInRequest(
  ports: Pick<Ports, 'catalog'>,
  { app, content, otherFields = {} }: Pick<ChangeRequestSpec, 'app' | 'content' | 'otherFields'>,
): readonly string[] {
  const entry = catalogEntries(ports).find(({ summary }) => summary.id === app);
  const object: KubeObject = { apiVersion: '', kind: '', metadata: { name: '' }, ...otherFields, spec: content };
  return sensitiveIn(entry === undefined ? BY_NAMES : markedOf(entry), object).map(({ path }) => formatPath(path));
}
