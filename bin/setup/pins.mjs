import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';

/** The programs, the package that each is built from, and the module whose version in `tools/go.mod` is the program's. */
const PROGRAMS = [
  { name: 'etcd', package: 'go.etcd.io/etcd/server/v3', module: 'go.etcd.io/etcd/server/v3', binary: 'server' },
  { name: 'kube-apiserver', package: 'k8s.io/kubernetes/cmd/kube-apiserver', module: 'k8s.io/kubernetes' },
  { name: 'kube-controller-manager', package: 'k8s.io/kubernetes/cmd/kube-controller-manager', module: 'k8s.io/kubernetes' },
  { name: 'kube-scheduler', package: 'k8s.io/kubernetes/cmd/kube-scheduler', module: 'k8s.io/kubernetes' },
  { name: 'kubectl', package: 'k8s.io/kubernetes/cmd/kubectl', module: 'k8s.io/kubernetes' },
  { name: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok', module: 'sigs.k8s.io/kwok' },
  { name: 'helm', package: 'helm.sh/helm/v4/cmd/helm', module: 'helm.sh/helm/v4' },
];

/**
 * What `tools/go.mod` pins: the programs with their versions, Go's version, and the folder that built programs are kept in, which is
 * shared by all clones with the same pins.
 */
export function readPins(root) {
  const folder = join(root, 'tools');
  const [goMod, goSum] = ['go.mod', 'go.sum'].map((name) => readFileSync(join(folder, name), 'utf8'));
  const platform = `${process.platform}-${process.arch}`;
  const key = createHash('sha256').update([goMod, goSum, platform].join('\0')).digest('hex').slice(0, 16);
  return {
    folder,
    cacheFolder: join(cacheFolder(), 'tools', key),
    go: /^go (\d+\.\d+)/m.exec(goMod)[1],
    programs: PROGRAMS.map((program) => ({ binary: program.name, ...program, version: versionOf(goMod, program.module) })),
  };
}

function versionOf(goMod, module) {
  const line = goMod.split('\n').find((text) => text.trim().startsWith(`${module} v`));
  if (line === undefined) throw new Error(`tools/go.mod requires no ${module}`);
  return /v\d+\.\d+\.\d+/.exec(line.trim().slice(module.length))[0];
}
