import type { HelmCommand, Preflight } from '../../domain/instance/instance.ts';
import { isObject, textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { YamlRead } from '../../schema/yaml-text.ts';
import { findingsView, type FindingsView } from '../page/findings-view.ts';
import { remediesOf, type Review } from '../instance/review.ts';
import type { ProposePart } from '../proposal/proposal-routes.ts';

/** A view of `operators/new`: the resource as somebody wrote it, and what creating it would do. */
export interface NewOperatorPage {
  readonly text: string;
  /** Why the text cannot be read; empty when it can. */
  readonly fault: string;
  readonly errors: readonly { readonly message: string; readonly href: string }[];
  /** Absent before it was checked. */
  readonly checked?: CheckedOperator;
  /** Absent before it was checked, and where no source can hold it. */
  readonly propose?: ProposePart;
}

export interface CheckedOperator {
  readonly ready: boolean;
  readonly findings: FindingsView;
  readonly remedies: Review['remedies'];
  readonly commands: readonly { readonly label: string; readonly text: string }[];
  /** Where the resource could lie in the folder of a CatalogSource. */
  readonly file: string;
  /** The installation of its chart without Chandlery, and what that leaves out; absent when the chart was not looked at. */
  readonly helm?: HelmCommand;
}

/** What the page begins with: everything that an Operator needs. */
export const EXAMPLE_OPERATOR = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata:
  namespace: chandlery-system
  name: my-operator
spec:
  name: my-operator
  chart:
    repoURL: https://charts.example.com
    name: my-operator
    version: 1.0.0
  targetNamespace: my-operator
  createNamespace: true
`;

interface Outcome {
  readonly fault?: string;
  readonly preflight?: Preflight;
  readonly propose?: ProposePart;
}

export function newOperatorPage(text: string, { fault = '', preflight, propose }: Outcome = {}): NewOperatorPage {
  return {
    text,
    fault,
    errors: fault === '' ? [] : [{ message: fault, href: '#manifest' }],
    ...(preflight === undefined ? {} : { checked: checkedOf(preflight) }),
    ...(propose === undefined ? {} : { propose }),
  };
}

function checkedOf(preflight: Preflight): CheckedOperator {
  const { verdict, findings, commands } = preflight;
  return {
    ready: verdict === 'Ready',
    findings: findingsView(findings),
    remedies: remediesOf(preflight),
    file: commands.file,
    ...(commands.helm === undefined ? {} : { helm: commands.helm }),
    commands: [
      { label: 'Resource to apply', text: commands.yaml },
      { label: 'With kubectl', text: commands.kubectl },
      { label: 'With curl', text: commands.curl },
    ],
  };
}

/** The resource in YAML that was read, or what is wrong with the text, with its line. */
export function operatorIn(read: YamlRead): { readonly operator: KubeObject } | { readonly fault: string } {
  if (read.fault !== undefined) return { fault: `Line ${read.line}: ${read.fault}` };
  const { value } = read;
  if (!isObject(value) || !isObject(value['metadata']))
    return { fault: 'Enter a whole resource, with apiVersion, kind, metadata and spec' };
  const [apiVersion, kind, name] = [textAt(value, 'apiVersion'), textAt(value, 'kind'), textAt(value, 'metadata', 'name')];
  if (apiVersion === undefined || kind === undefined || name === undefined)
    return { fault: 'apiVersion, kind and metadata.name are required' };
  return { operator: { ...value, apiVersion, kind, metadata: { ...value['metadata'], name } } };
}
