import type { FieldFault } from '../../domain/core/errors.ts';
import { parseObjectName } from '../../domain/kubernetes/names.ts';
import type { WholeForm } from '../../form/yaml/whole-yaml.ts';
import { faultsOfRefusal } from '../instance/instance-form.ts';
import type { InstallTargets } from '../ports.ts';

/** Where something is installed and how it is called: as was chosen, else as a whole resource in the YAML says. */
export interface InstallHead {
  readonly environment: string;
  readonly name: string;
}

export function headOf({ targets }: InstallTargets, body: URLSearchParams, { name, namespace }: WholeForm): InstallHead {
  const named = targets.find(({ environment }) => environment.namespace === namespace)?.environment.name;
  const typed = body.get('name') ?? '';
  return { environment: body.get('environment') ?? named ?? '', name: typed === '' ? name : typed };
}

/** What is wrong with them, and where a whole resource in the YAML says something else. */
export function headFaults({ environment, name }: InstallHead, { targets }: InstallTargets, whole: WholeForm): FieldFault[] {
  const chosen = targets.find((target) => target.environment.name === environment)?.environment;
  const elsewhere = whole.namespace !== '' && chosen?.namespace !== whole.namespace;
  return [
    ...(chosen === undefined ? [{ field: 'environment', message: 'Choose the environment to install it in' }] : []),
    ...(chosen !== undefined && elsewhere ? [placeFault(whole.namespace)] : []),
    ...nameFaults(name),
    ...(whole.name !== '' && whole.name !== name.trim() ? [nameFault(whole.name)] : []),
  ];
}

function nameFaults(name: string): readonly FieldFault[] {
  try {
    parseObjectName(name);
    return [];
  } catch (error) {
    return faultsOfRefusal(error) ?? [];
  }
}

function placeFault(namespace: string): FieldFault {
  return { field: 'environment', message: `The YAML is for the namespace ${namespace}; choose its environment, or take that line out` };
}

function nameFault(name: string): FieldFault {
  return { field: 'metadata.name', message: `The YAML calls it ${name}; give it the same name in both places` };
}
