import { registerHooks } from 'node:module';

/*
 * Of client-node we use the kubeconfig alone, but its file names the generated client, too, and with that a thousand modules for the types of the API: 45
 * MiB, and a quarter of a second at each start. What it takes from there only serves `makeApiClient`, so we leave it out. Should the package be laid out
 * otherwise one day, all of it is loaded.
 */

const CONFIG = '@kubernetes/client-node/dist/config.js';
const GENERATED = './gen/index.js';
const NOTHING = `data:text/javascript,${encodeURIComponent('export const createConfiguration = undefined; export class ServerConfiguration {}')}`;

const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    specifier === GENERATED && context.parentURL?.endsWith(`/${CONFIG}`) === true
      ? { url: NOTHING, format: 'module', shortCircuit: true }
      : next(specifier, context),
});

/** The kubeconfig of client-node: files, the pod's service account, and their credentials. */
export const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
export type KubeConfig = InstanceType<typeof KubeConfig>;

hooks.deregister();
