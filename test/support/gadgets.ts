import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { offerChart, versionOf } from './offer-chart.ts';

const V1 = 'storageSize: {type: string}, colour: {type: string}, level: {type: integer}, size: {type: integer}';
const V2 =
  'storageCapacity: {type: string}, level: {type: integer, maximum: 5}, size: {type: string}, team: {type: string}, shape: {type: string}';

/**
 * Two versions of a chart. The second one has another version of its kind, which objects are stored in from then on and nothing converts to: `storageSize`
 * is called `storageCapacity`, `colour` is gone, `team` is required, `level` has a maximum and `size` is a text. Of its values `logLevel` is called
 * `loggingLevel`, `colour` is gone and `replicas` has another default.
 */
export async function offerGadgets(folder: string, name: string): Promise<void> {
  await offerChart(folder, {
    name,
    version: '1.0.0',
    versions: versionOf('v1', { properties: V1, storage: true }),
    values: VALUES_1,
  });
  const versions =
    versionOf('v1', { properties: V1, storage: false }) + versionOf('v2', { properties: V2, required: 'team', storage: true });
  await offerChart(folder, { name, version: '2.0.0', versions, values: VALUES_2 });
}

const VALUES_1 = 'password: x\nlogLevel: info\ncolour: red\nreplicas: 1\n';
const VALUES_2 = 'password: x\nloggingLevel: info\nreplicas: 2\n';

/** The Operator that installs the first version and follows the channel. What is unsafe stops no upgrade. */
export function gadgetOperator(name: string): KubeObject {
  return {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { namespace: 'chandlery-system', name },
    spec: {
      chart: { repoURL: 'file://samples', name, version: '1.0.0' },
      upgrade: { range: '>=1', crdSafety: 'None' },
      values: { logLevel: 'debug', colour: 'blue' },
      catalog: { displayName: 'Gadgets' },
    },
  };
}

/** What an instance of the first version has. */
export const GADGET_SPEC = { storageSize: '1Gi', colour: 'crimson', level: 9, size: 3 };
