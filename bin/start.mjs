#!/usr/bin/env node
// `npm start`: sets up what is missing, then serves. Arguments are passed on; `--dev` starts anew whenever a source file changes.
import { runMain } from './run-main.mjs';
import { setUpOrExit } from './setup.mjs';

const args = process.argv.slice(2);
const usesOwnCluster = args.some((arg) => /^--(context|kubeconfig)(=|$)/.test(arg));
const isDev = args.includes('--dev');

await setUpOrExit(usesOwnCluster ? 'context' : 'cluster');
runMain(['serve', ...args.filter((arg) => arg !== '--dev')], isDev ? 'watch' : 'once');
