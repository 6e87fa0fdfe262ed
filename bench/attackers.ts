import { mintDemoToken } from '../src/embedded/issuer/mint-demo-token.ts';
import { ATTACKED, FOREIGN, ISSUED } from '../test/attacks/people.ts';

// A process that sends the worst legal requests as fast as they are answered: ORIGIN STATE_DIR SECONDS. Its message is how often it got each answer.

const [origin = '', stateDir = '', seconds = '0'] = process.argv.slice(2);
const LANES = 12;
const CACHE = 'caches.samples.chandlery.dev';
const POSTGRES = 'postgresclusters.samples.chandlery.dev';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };

interface Wave {
  readonly person?: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const many = (count: number, of: (n: number) => string): string => Array.from({ length: count }, (_, n) => of(n)).join('');
const manyMembers = `{${many(40_000, (n) => `"k${n}":[${n}],`)}"z":0}`;
const deepLists = `${'['.repeat(90)}${many(100_000, () => '1,')}1${']'.repeat(90)}`;
const spec = (text: string): string => `{"app":"${CACHE}","name":"bulk","spec":{"x":${text}}}`;
const manyFields = many(19_000, (n) => `v.spec.f${n}=${n}&`);
const nested = many(15_000, (n) => `r.spec.a.${n}=1&`);
const yaml = encodeURIComponent(many(16_000, (n) => `k${n}: [${n}]\n`)).slice(0, 250_000);

const WAVES: readonly Wave[] = [
  { path: `/api/v1/environments/${ATTACKED}/instances`, method: 'POST', headers: JSON_TYPE, body: spec(manyMembers) },
  {
    person: 'neighbour',
    path: `/api/v1/environments/${FOREIGN}/instances?dryRun=All`,
    method: 'POST',
    headers: JSON_TYPE,
    body: spec(manyMembers),
  },
  {
    person: 'neighbour',
    path: `/api/v1/environments/${FOREIGN}/instances?dryRun=All`,
    method: 'POST',
    headers: JSON_TYPE,
    body: spec(deepLists),
  },
  { person: 'stranger', path: `/apps/${POSTGRES}/install`, method: 'POST', headers: FORM_TYPE, body: manyFields },
  { person: 'stranger', path: `/apps/${POSTGRES}/install`, method: 'POST', headers: FORM_TYPE, body: nested },
  {
    person: 'neighbour',
    path: `/apps/${POSTGRES}/install`,
    method: 'POST',
    headers: FORM_TYPE,
    body: `_do=review&environment=${FOREIGN}&y.spec=${yaml}`,
  },
  { person: 'stranger', path: `/apps/${POSTGRES}/install?${many(900, (n) => `v.spec.f${n}=${n}&`)}` },
  { person: 'neighbour', path: `/environments/${FOREIGN}` },
  { person: 'stranger', path: '/api/v1/openapi.json' },
  { person: 'stranger', path: '/api/v1/apps?search=a' },
];

const tokens = new Map<string, string>();
for (const name of ['stranger', 'neighbour']) tokens.set(name, await mintDemoToken({ stateDir, name, people: ISSUED }));
const answers: Record<string, number> = {};
const end = performance.now() + Number(seconds) * 1000;
await Promise.all(Array.from({ length: LANES }, (_, lane) => attack(lane)));
process.send?.(answers);
process.disconnect();

async function attack(lane: number): Promise<void> {
  for (let n = lane; performance.now() < end; n += 1) {
    const { person = '', path, method = 'GET', headers = {}, body } = WAVES[n % WAVES.length] ?? { path: '/' };
    const token = tokens.get(person);
    const identity = { 'X-Forwarded-For': `198.51.100.${n % 250}`, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) };
    const answer = await fetch(`${origin}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...identity, ...headers },
      ...(body === undefined ? {} : { body }),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      },
      () => 'no answer',
    );
    answers[answer] = (answers[answer] ?? 0) + 1;
  }
}
