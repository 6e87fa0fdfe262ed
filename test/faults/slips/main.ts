import { parseArgs } from 'node:util';
import { playSlips } from './play.ts';
import { SLIPS } from './slips.ts';

// `npm run test:faults -- slips --seeds N --first S`: each seed makes slips in the catalogue and undoes them; then the cluster has to be as before.

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== 'slips'),
  options: {
    seeds: { type: 'string', default: '20' },
    first: { type: 'string', default: '1' },
    steps: { type: 'string', default: '' },
  },
});
const [seeds, first] = [Number(values.seeds), Number(values.first)];
const steps = values.steps === '' ? [] : values.steps.split(',');
const unknown = steps.filter((name) => !(name in SLIPS));
const write = (line: string): void => void process.stdout.write(`${line}\n`);
if (unknown.length > 0 || ![seeds, first].every((number) => Number.isInteger(number) && number >= 0)) {
  write(`usage: npm run test:faults -- slips [--seeds N] [--first S] [--steps ${Object.keys(SLIPS).join(',')}]`);
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
for (const [name, { off }] of Object.entries(SLIPS)) if (off !== undefined && !steps.includes(name)) write(`left out: ${name}: ${off}`);
const began = performance.now();
const tally = await playSlips({ seeds, first, steps, write });
const took = Math.round((performance.now() - began) / 1_000);
write(
  `${tally.seeds} seeds, ${tally.steps} steps, ${took} s: ${tally.failed.length} failed${tally.failed.map((seed) => ` ${seed}`).join('')}`,
);
process.exit(tally.failed.length === 0 ? 0 : 1);
