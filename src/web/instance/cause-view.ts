import type { CauseLink } from '../../domain/cause/cause.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { ResourceTree } from '../../domain/tree/tree.ts';
import { instancePath } from '../page/paths.ts';

/** A view of `parts/cause`. */
export interface CauseView {
  /** The cause first, then what it holds back. */
  readonly links: readonly (Pick<CauseLink, 'kind' | 'name' | 'message'> & { readonly href: string; readonly since: string })[];
  /** Present when a container crashed. */
  readonly log?: { readonly container: string; readonly href: string; readonly text: string };
  /** Kinds that were not read, as words; empty where all were. */
  readonly unread: string;
}

/** Why an instance is not well; undefined where nothing is known to be wrong. */
export function causeView(instance: InstanceView, { cause, unreadable }: ResourceTree): CauseView | undefined {
  if (cause === undefined) return undefined;
  const { chain, container, log } = cause;
  return {
    links: chain.map(({ kind, name, message, since = '' }) => ({ kind, name, message, since, href: hrefOf(instance, { kind, name }) })),
    ...(container === undefined ? {} : { log: { container: container.name, href: logsPath(instance, container), text: log?.text ?? '' } }),
    unread: unreadable.join(', '),
  };
}

/** The instance is the page itself. */
function hrefOf(instance: InstanceView, { kind, name }: Pick<CauseLink, 'kind' | 'name'>): string {
  return kind === 'Pod' && name !== instance.name ? `${instancePath(instance)}/logs?${new URLSearchParams({ pod: name }).toString()}` : '';
}

function logsPath(instance: InstanceView, { pod, name, previous }: NonNullable<NonNullable<ResourceTree['cause']>['container']>): string {
  const query = new URLSearchParams({ pod, container: name, ...(previous ? { previous: 'on' } : {}) });
  return `${instancePath(instance)}/logs?${query.toString()}`;
}
