import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readFormSources } from '../../../../src/compose/form-sources.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { listFields } from '../../../../src/form/model/list-fields.ts';
import { targetId } from '../../../../src/form/references/mark-references.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { CRD_FOLDERS } from '../../../support/schemas.ts';

const text = { type: 'string' };
const said = (description: string): JsonObject => ({ type: 'string', description });
const group = (properties: JsonObject, description = ''): JsonObject => ({ type: 'object', description, properties });
const KINDS = [{ group: 'db.example.com', resource: 'clusters', kind: 'Cluster' }];

describe('references that a schema is known by', () => {
  const cases: readonly (readonly [string, JsonObject, Readonly<Record<string, string>>])[] = [
    ['secretKeyRef by its name', { secretKeyRef: group({ name: text, key: text }) }, { name: 'secrets', key: 'secrets name' }],
    [
      'a group of any name by its words',
      { password: group({ name: text, key: said('The key of the secret to select from') }) },
      { name: 'secrets', key: 'secrets name' },
    ],
    [
      'credentials that say nothing',
      { s3Credentials: group({ accessKeyId: group({ name: text, key: text }) }) },
      { name: 'secrets', key: 'secrets name' },
    ],
    ['a Ref by its description', { tlsRef: group({ name: text }, 'The Secret with the certificate') }, { name: 'secrets' }],
    [
      'configMapKeyRef',
      { configMapKeyRef: group({ name: text, key: text, optional: { type: 'boolean' } }) },
      { name: 'configmaps', key: 'configmaps name' },
    ],
    ['pull secrets in rows', { imagePullSecrets: { type: 'array', items: group({ name: text }) } }, { name: 'secrets' }],
    ['names in rows', { pullSecretNames: { type: 'array', items: text } }, { '*': 'secrets' }],
    [
      'an existing Secret and its key',
      { existingSecret: text, existingSecretPasswordKey: text },
      { existingSecret: 'secrets', existingSecretPasswordKey: 'secrets existingSecret' },
    ],
    ['a storage class', { storageClassName: text }, { storageClassName: 'storageclasses.storage.k8s.io' }],
    ['a class that is one by its words', { class: said('The storage class to use') }, { class: 'storageclasses.storage.k8s.io' }],
    ['a service account', { serviceAccountName: text }, { serviceAccountName: 'serviceaccounts' }],
    ['an ingress class', { ingressClassName: text }, { ingressClassName: 'ingressclasses.networking.k8s.io' }],
    ['a priority class', { priorityClassName: text }, { priorityClassName: 'priorityclasses.scheduling.k8s.io' }],
    ['a volume claim', { existingClaim: text }, { existingClaim: 'persistentvolumeclaims' }],
    ['an issuer', { issuerRef: group({ name: text, kind: text, group: text }) }, { name: 'issuers.cert-manager.io' }],
    ['another instance by {name}', { cluster: group({ name: text }) }, { name: 'clusters.db.example.com' }],
    ['another instance by a text', { clusterRef: text }, { clusterRef: 'clusters.db.example.com' }],
  ];
  for (const [what, properties, expected] of cases) {
    it(`finds ${what}`, () => assert.deepEqual(referencesOf(properties), expected));
  }

  const others: readonly (readonly [string, JsonObject])[] = [
    ['a secret itself', { clientSecret: text }],
    ['a group that has a name and more', { cluster: group({ name: text, instances: { type: 'integer' } }) }],
    ['a group whose words speak of two kinds', { valueRef: group({ name: text, key: text }, 'A Secret or a ConfigMap') }],
    ['a name of a cluster that no kind is', { region: group({ name: text }) }],
    ['a word in passing', { cluster: said('How chatty it is') }],
    ['a number', { storageClass: { type: 'integer' } }],
  ];
  for (const [what, properties] of others) {
    it(`does not take ${what} for one`, () => assert.deepEqual(referencesOf(properties), {}));
  }

  it('leaves every value as it was, also one that nothing of that name has', () => {
    const model = formOf({ secretRef: group({ name: text, key: text }), storageClassName: text });
    const values = { secretRef: { name: 'Not a valid NAME', key: '../x' }, storageClassName: '' };
    assert.deepEqual(formToValues(model, valuesToFields(model, values), {}).values, values);
  });
});

const SAMPLE = path.join(import.meta.dirname, '../../../../charts/postgres-operator/templates/crd-postgresclusters.yaml');
const REAL: readonly (readonly [string, number, readonly string[]])[] = [
  [SAMPLE, 3, ['spec.storage.storageClassName', 'spec.backup.destination.bucket.credentialsSecret']],
  ...crds('workshops.yaml', 20, [
    ['spec.superuserSecret.name', 'spec.externalClusters[*].password.key', 'spec.imagePullSecrets[*].name'],
    ['spec.issuerRef.name', 'spec.keystores.jks.passwordSecretRef.key', 'spec.secretName', 'spec.storage.storageClassName'],
    ['spec.listeners[*].configuration.brokerCertChainAndKey.key', 'spec.template.spec.containers[*].env[*].valueFrom.secretKeyRef.key'],
  ]),
  ...crds('cnpg-clusters.yaml', 60, [
    ['spec.superuserSecret.name', 'spec.externalClusters[*].password.key', 'spec.imagePullSecrets[*].name'],
  ]),
  ...crds('cert-manager-certificates.yaml', 6, [['spec.issuerRef.name', 'spec.keystores.jks.passwordSecretRef.key', 'spec.secretName']]),
  ...crds('strimzi-kafka.yaml', 40, [['spec.kafka.listeners[*].configuration.brokerCertChainAndKey.key']]),
];
for (const [file, least, some] of REAL) {
  it(`finds the references of ${path.basename(file)}`, async () => {
    const sources = await readFormSources(file, new AbortController().signal);
    const fields = sources.flatMap((source) => listFields(buildForm({ ...source, curated: [], mode: 'create' })));
    const found = fields.filter((field) => field.reference !== undefined).map((field) => field.path);
    assert.ok(found.length >= least, `${found.length} references`);
    assert.deepEqual(
      some.filter((one) => !found.includes(one)),
      [],
    );
  });
}

/** A CRD that one of the folders has. */
function crds(name: string, least: number, some: readonly (readonly string[])[]): [string, number, readonly string[]][] {
  const files = CRD_FOLDERS.map((folder) => path.join(folder, name)).filter((file) => existsSync(file));
  return files.map((file) => [file, least, some.flat()]);
}

function formOf(properties: JsonObject) {
  return buildForm({ schema: { type: 'object', properties }, root: 'spec', curated: [], mode: 'create', kinds: KINDS });
}

/** What each reference names, by its key; with the member that a key is of. */
function referencesOf(properties: JsonObject): Readonly<Record<string, string>> {
  const found = listFields(formOf(properties)).flatMap(({ path: place, reference }) => {
    const key = place.endsWith('[*]') ? '*' : (place.split('.').at(-1) ?? '');
    if (reference === undefined) return [];
    return [[key, reference.part === 'key' ? `${targetId(reference.to)} ${reference.of}` : targetId(reference.to)] as const];
  });
  return Object.fromEntries(found);
}
