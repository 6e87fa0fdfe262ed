import { deletionCommand } from '../kubernetes/deletion-intent.ts';
import { OURS } from '../kubernetes/names.ts';

/** What the page of a CatalogSource does, as kubectl does it. Names and revisions need no quotes. */
export interface SourceCommands {
  readonly read: string;
  readonly sync: string;
  readonly suspend: string;
  readonly resume: string;
  /** Deletes it, and what it owns where it prunes. */
  delete(owned: 'Deleted' | 'Kept'): string;
  /** Has it accept webhooks of a forge, with what each command does. */
  readonly receive: readonly (readonly [label: string, command: string])[];
  /** Lets another folder or repository take the place of the one that the source had. */
  confirm(origin: string): string;
  /** Keeps a resource that has lost its document. */
  keep(resource: string): string;
  /** Approves the removals of exactly this revision. */
  approve(revision: string): string;
}

export function sourceCommands(name: string): SourceCommands {
  const target = `catalogsource ${name}`;
  const suspend = (value: boolean): string => `kubectl patch ${target} --type merge --patch '{"spec":{"suspend":${value}}}'`;
  return {
    read: `kubectl describe ${target}`,
    sync: `kubectl annotate ${target} ${OURS.reconcileAt}="$(date --utc +%FT%T.%NZ)" --overwrite`,
    suspend: suspend(true),
    resume: suspend(false),
    delete: (owned) => (owned === 'Deleted' ? deletionCommand(target, 'Cascade') : `kubectl delete ${target}`),
    receive: [
      [
        'Create a token',
        `kubectl create secret generic ${name}-hook --namespace ${OURS.systemNamespace} --from-literal token="$(openssl rand -hex 20)"`,
      ],
      [
        'Accept webhooks, with the type of your forge',
        `kubectl patch ${target} --type merge --patch '{"spec":{"receiver":{"type":"GitHub","secretRef":{"name":"${name}-hook"}}}}'`,
      ],
    ],
    confirm: (origin) => `kubectl annotate ${target} ${OURS.confirmedOrigin}='${origin}' --overwrite`,
    keep: (resource) => `kubectl annotate ${kubectlTarget(resource)} ${OURS.prune}=disabled`,
    approve: (revision) => `kubectl annotate ${target} ${OURS.approvedPrune}=${revision} --overwrite`,
  };
}

/** `operator cache --namespace default` for `Operator default/cache`. */
function kubectlTarget(resource: string): string {
  const [kind = '', address = ''] = resource.split(' ');
  const [namespace, name] = address.includes('/') ? address.split('/') : [undefined, address];
  return `${kind.toLowerCase()} ${name ?? ''}${namespace === undefined ? '' : ` --namespace ${namespace}`}`;
}
