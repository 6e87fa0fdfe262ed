import type { CauseLink } from '../../domain/cause/cause.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { nodesOf, type ResourceTree } from '../../domain/tree/tree.ts';
import { instancePath } from '../page/paths.ts';
import { nodePath } from '../page/tree-view.ts';

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
export function causeView(instance: InstanceView, { root, cause, unreadable }: ResourceTree): CauseView | undefined {
  if (cause === undefined) return undefined;
  const { chain, container, log } = cause;
  return {
    links: chain.map((link) => {
      const node = nodesOf(root).find((one) => one.kind === link.kind && one.name === link.name && one.apiVersion === link.apiVersion);
      const { kind, name, message, since = '' } = link;
      // The instance is the page itself.
      return { kind, name, message, since, href: node === undefined || node === root ? '' : nodePath(instance.environment, node) };
    }),
    ...(container === undefined ? {} : { log: { container: container.name, href: logsPath(instance, container), text: log?.text ?? '' } }),
    unread: unreadable.join(', '),
  };
}

function logsPath(instance: InstanceView, { pod, name, previous }: NonNullable<NonNullable<ResourceTree['cause']>['container']>): string {
  const query = new URLSearchParams({ pod, container: name, ...(previous ? { previous: 'on' } : {}) });
  return `${instancePath(instance)}/logs?${query.toString()}`;
}
