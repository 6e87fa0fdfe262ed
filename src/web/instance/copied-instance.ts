import type { InstanceView } from '../../domain/instance/instance.ts';
import type { Visit, WebDeps } from '../page/page.ts';

/** Another instance of the same App that a link names as `from=environment/name`, as far as the actor may read it; undefined where it names none. */
export async function copiedInstance(
  operations: Pick<WebDeps['operations'], 'showInstance'>,
  { actor, query }: Pick<Visit, 'actor' | 'query'>,
  app: string,
): Promise<InstanceView | undefined> {
  const [environment = '', name = '', ...more] = (query.get('from') ?? '').split('/');
  if (environment === '' || name === '' || more.length > 0) return undefined;
  return await operations.showInstance(actor, { environment, app, name });
}
