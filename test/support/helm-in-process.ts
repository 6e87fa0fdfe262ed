import { createHelm } from '../../src/helm/helm.ts';

// A process of its own that has helm run, until it is killed: `helm-in-process.ts PROGRAM HOME`.
const [program = '', homeDir = ''] = process.argv.slice(2);
const helm = await createHelm({ program, homeDir, maxChildren: 1, log: { debug: () => undefined } });
await helm.history({ release: 'a', namespace: 'b' }, AbortSignal.timeout(60_000));
