import { OURS } from '../kubernetes/names.ts';
import { FORCE_AT } from './operator-spec.ts';

/** A shell command with a word about what it does. */
export interface LabelledCommand {
  readonly label: string;
  readonly text: string;
}

export interface OperatorCommands {
  readonly read: string;
  readonly reconcile: string;
  readonly force: string;
  readonly suspend: string;
  readonly resume: string;
  readonly delete: string;
}

/** What the page of an Operator does, as kubectl does it. Names of the Kubernetes API need no quotes. */
export function operatorCommands({ namespace, name }: { readonly namespace: string; readonly name: string }): OperatorCommands {
  const target = `kop ${name} --namespace ${namespace}`;
  const now = '"$(date --utc +%FT%T.%NZ)"';
  const suspend = (value: boolean): string => `kubectl patch ${target} --type merge --patch '{"spec":{"suspend":${value}}}'`;
  return {
    read: `kubectl describe ${target}`,
    reconcile: `kubectl annotate ${target} ${OURS.reconcileAt}=${now} --overwrite`,
    force: `kubectl annotate ${target} ${FORCE_AT}=${now} --overwrite`,
    suspend: suspend(true),
    resume: suspend(false),
    delete: `kubectl delete ${target}`,
  };
}
