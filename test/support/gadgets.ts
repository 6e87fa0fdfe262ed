import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { offerChart, versionOf } from './offer-chart.ts';

export const GADGET = 'gadget';

const V1 = 'storageSize: {type: string}, colour: {type: string}, level: {type: integer}, size: {type: integer}';
const V2 =
  'storageCapacity: {type: string}, level: {type: integer, maximum: 5}, size: {type: string}, team: {type: string}, shape: {type: string}';

/**
 * Two versions of a chart. The second one has another version of its kind, which objects are stored in from then on and nothing converts to: `storageSize`
 * is called `storageCapacity`, `colour` is gone, `team` is required, `level` has a maximum and `size` is a text. Of its values `logLevel` is called
 * `loggingLevel`, `colour` is gone and `replicas` has another default.
 */
export async function offerGadgets(folder: string): Promise<void> {
  await offerChart(folder, {
    name: GADGET,
    version: '1.0.0',
    versions: versionOf('v1', { properties: V1, storage: true }),
    values: VALUES_1,
  });
  const versions =
    versionOf('v1', { properties: V1, storage: false }) + versionOf('v2', { properties: V2, required: 'team', storage: true });
  await offerChart(folder, { name: GADGET, version: '2.0.0', versions, values: VALUES_2 });
}

const VALUES_1 = 'password: x\nlogLevel: info\ncolour: red\nreplicas: 1\n';
const VALUES_2 = 'password: x\nloggingLevel: info\nreplicas: 2\n';

/** A catalogue with an environment of team a, and no Operator: it is created by whoever tests. */
export async function writeGadgetCatalog(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = `apiVersion: chandlery.dev/v1alpha1
kind: Environment
metadata: {name: team-a}
spec:
  displayName: Team A
  tier: development
  groups: [{name: 'oidc:team-a', role: developer}, {name: 'oidc:platform', role: viewer}]
`;
  await writeFile(join(folder, 'team-a.yaml'), text);
}

/** The Operator that installs the first version and follows the channel. What is unsafe stops no upgrade. */
export const GADGET_OPERATOR = {
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { namespace: 'chandlery-system', name: GADGET },
  spec: {
    chart: { repoURL: 'file://samples', name: GADGET, version: '1.0.0' },
    upgrade: { range: '>=1', crdSafety: 'None' },
    values: { logLevel: 'debug', colour: 'blue' },
    catalog: { displayName: 'Gadgets' },
  },
};

/** What an instance of the first version has. */
export const GADGET_SPEC = { storageSize: '1Gi', colour: 'crimson', level: 9, size: 3 };
