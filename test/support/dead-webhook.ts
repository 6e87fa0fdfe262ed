import { createServer as createSecureServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { JsonObject, KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { issueCertificate } from '../../src/embedded/cluster/certificate.ts';

export const VALIDATING_WEBHOOKS: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
};

export interface DeadWebhook {
  /** Of the configuration; its webhook is called `NAME.example.com`. */
  readonly name: string;
  readonly clientConfig: JsonObject;
  readonly timeoutSeconds: number;
  readonly group: string;
  /** Writes of objects that begin so are checked. */
  readonly objects: string;
  /** The release that has installed it, `namespace/name`. */
  readonly release?: string;
}

/** A webhook that checks writes, and must answer before anything is written. */
export function webhookConfiguration({ name, clientConfig, timeoutSeconds, group, objects, release }: DeadWebhook): KubeObject {
  const [namespace = '', releaseName = ''] = (release ?? '').split('/');
  const annotations = { 'meta.helm.sh/release-name': releaseName, 'meta.helm.sh/release-namespace': namespace };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name, ...(release === undefined ? {} : { annotations }) },
    webhooks: [
      {
        name: `${name}.example.com`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds,
        clientConfig,
        // The deletion of a collection has no name: an error here would keep every namespace of the cluster from being emptied.
        matchConditions: [{ name: 'named', expression: `has(request.name) && request.name.startsWith("${objects}")` }],
        rules: [{ apiGroups: [group], apiVersions: ['*'], resources: ['*'], operations: ['CREATE', 'UPDATE', 'DELETE'] }],
      },
    ],
  };
}

/** Runs a task while a webhook does not answer; resolves when the api-server does not know it any more. */
export async function whileDead<T>(cluster: Cluster, webhook: DeadWebhook, task: () => Promise<T>): Promise<T> {
  const { name } = webhook;
  await cluster.create(VALIDATING_WEBHOOKS, webhookConfiguration(webhook));
  try {
    return await task();
  } finally {
    await cluster.delete({ ...VALIDATING_WEBHOOKS, name }).catch((error: unknown) => {
      if (!isAppError(error, 'NotFound')) throw error;
    });
  }
}

/** Listens and never says a word; gives its address for a webhook. */
export async function silentServer(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/check`, server };
}

/** Denies whatever it is asked about, with a sentence. */
export async function denyingServer(message: string): Promise<{ readonly clientConfig: JsonObject; readonly server: Server }> {
  const [notBefore, notAfter] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)];
  const pair = issueCertificate({ commonName: 'webhook', use: 'server', hosts: ['127.0.0.1'], notBefore, notAfter });
  const server = createSecureServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
    void text(request).then((body) => {
      const uid = textAt(JSON.parse(body), 'request', 'uid');
      const answer = { uid, allowed: false, status: { message, code: 403 } };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/check`;
  return { clientConfig: { url, caBundle: Buffer.from(pair.certificate).toString('base64') }, server };
}
