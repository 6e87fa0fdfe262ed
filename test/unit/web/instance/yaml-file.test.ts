import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';
import { submit } from '../../form/submit.ts';

const POSTGRES = 'postgresclusters.samples.chandlery.dev';
const INSTALL = `/apps/${POSTGRES}/install`;
const EDIT = `/environments/team-a/instances/${POSTGRES}/orders/edit`;
const headers = { Cookie: 'chandlery=dev-a', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
const TEXT = '# For the shop.\nstorage:\n  size: 20Gi # was 5Gi\n';
const TYPED: Record<string, string> = { name: 'shop', environment: 'team-a', preset: 'small', 'y.': 'instances: 5\n' };

let web: SampleWeb;
before(async () => {
  web = await startSampleWeb();
});
after(async () => await web.stop());

interface Page {
  readonly status: number;
  readonly html: string;
  readonly sent: URLSearchParams;
}

/** Sends a form with a file, as the button beside the file does. */
async function upload(
  bytes: string | Uint8Array<ArrayBuffer>,
  { path = INSTALL, fileName = 'orders.yaml', typed = TYPED } = {},
): Promise<Page> {
  const body = new FormData();
  for (const [name, value] of Object.entries(typed)) body.append(name, value);
  body.append('_file', new File([bytes], fileName));
  body.append('_op', 'upload');
  return await pageOf(await fetch(web.url + path, { method: 'POST', body, headers }));
}

async function press(fields: Readonly<Record<string, string>>, path = INSTALL): Promise<Response> {
  return await fetch(web.url + path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
}

async function pageOf(response: Response): Promise<Page> {
  const html = await response.text();
  return { status: response.status, html, sent: submit(html) };
}

const yamlOf = ({ sent }: Page): string => (sent.get('y.') ?? '').replaceAll('\r\n', '\n');
const errorsOf = ({ html }: Page): string => /id="error-summary".*?<\/ul>/s.exec(html)?.[0] ?? '';
const utf16 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));

test('A file lands in the YAML with its comments, and nothing else of the form is lost', async () => {
  const page = await upload(TEXT);
  assert.equal(page.status, 200);
  assert.equal(yamlOf(page), TEXT);
  assert.equal(page.sent.get('name'), 'shop');
  assert.equal(page.sent.get('environment'), 'team-a');
  assert.equal(page.sent.get('preset'), 'small');
  assert.match(page.html, /3 lines of “orders\.yaml” are in the form now\./);
});

test('A file takes the place of live values, and the form still knows what it was opened on', async () => {
  const opened = await pageOf(await fetch(web.url + EDIT, { headers }));
  const page = await upload('instances: 2\n', { path: EDIT, typed: Object.fromEntries(opened.sent) });
  assert.equal(yamlOf(page), 'instances: 2\n');
  assert.equal(page.sent.get('seen'), opened.sent.get('seen'));
});

for (const { world, bytes, text, said } of [
  { world: 'line ends of Windows', bytes: 'a: 1\r\nb: 2\r\n', text: 'a: 1\nb: 2\n', said: /Its line ends are those of Unix now/ },
  { world: 'a byte order mark', bytes: '\ufeffinstances: 2\n', text: 'instances: 2\n', said: /byte order mark was removed/ },
  { world: 'UTF-16', bytes: utf16('instances: 2\n'), text: 'instances: 2\n', said: /written in UTF-16, and is UTF-8 now/ },
]) {
  test(`A file with ${world} is read, and the page says what was changed`, async () => {
    const page = await upload(bytes);
    assert.equal(yamlOf(page), text);
    assert.match(page.html, said);
  });
}

for (const { world, bytes, said, fileName = 'orders.yaml' } of [
  { world: 'two documents', bytes: 'a: 1\n---\nb: 2\n', said: /Line 2, column 1: Write one document only/ },
  { world: 'tabs for spaces', bytes: 'storage:\n\tsize: 1Gi\n', said: /Line 2, column 1: This is not valid YAML: Tabs/ },
  { world: 'prose', bytes: 'Dear all\n', said: /Line 1: Write keys and values/ },
  { world: 'another kind', bytes: 'apiVersion: v1\nkind: Pod\n', said: /Line 2: This is a Pod/ },
]) {
  test(`A file with ${world} is in the form to be corrected, with its line`, async () => {
    const page = await upload(bytes, { fileName });
    assert.equal(page.status, 422);
    assert.equal(yamlOf(page), bytes);
    assert.match(errorsOf(page), said);
    assert.match(errorsOf(page), /href="#f"/);
  });
}

for (const { world, bytes, said, fileName = 'orders.yaml' } of [
  {
    world: 'of more than 256 KiB',
    bytes: `a: ${'x'.repeat(256 * 1024)}\n`,
    said: /“orders\.yaml” is larger than 256 KiB; it was not loaded/,
  },
  {
    world: 'that is an archive',
    bytes: new Uint8Array([0x1f, 0x8b, 8, 0]),
    fileName: 'chart.tgz',
    said: /“chart\.tgz” is an archive \(gzip\)/,
  },
  { world: 'with zero bytes', bytes: 'a: 1\nb: \u0000\n', said: /Line 2 of “orders\.yaml” has a control character \(0x00\)/ },
  { world: 'in another encoding', bytes: new Uint8Array([0x61, 0x0a, 0xe4, 0x0a]), said: /Line 2 of “orders\.yaml” is not UTF-8 text/ },
  { world: 'with nothing in it', bytes: '\n', said: /“orders\.yaml” is empty/ },
  { world: 'that was not chosen', bytes: '', fileName: '', said: /Choose a file first/ },
]) {
  test(`A file ${world} leaves the form as it was, and the page says why`, async () => {
    const page = await upload(bytes, { fileName });
    assert.equal(page.status, 422);
    assert.equal(yamlOf(page), TYPED['y.']);
    assert.equal(page.sent.get('name'), 'shop');
    assert.match(errorsOf(page), said);
    assert.match(errorsOf(page), /href="#upload"/);
    assert.match(page.html, /id="upload"[^>]*aria-invalid="true"/);
  });
}

test('A file that was chosen and never loaded is not passed over in silence', async () => {
  const page = await pageOf(await press({ ...TYPED, _file: 'orders.yaml', _do: 'install' }));
  assert.equal(page.status, 422);
  assert.match(errorsOf(page), /“orders\.yaml” was selected but not loaded/);
  assert.equal(yamlOf(page), TYPED['y.']);
});

test('The YAML is a file to keep, exactly as it was typed and named by what it is', async () => {
  const answer = await press({ ...TYPED, 'y.': TEXT, name: '../../Etc/"shop"', _do: 'download' });
  assert.equal(answer.headers.get('Content-Disposition'), 'attachment; filename=postgrescluster-Etc-shop.yaml');
  assert.equal(await answer.text(), TEXT);
});

test('Fields are a file to keep as well, with the comments that came with them', async () => {
  const opened = await pageOf(await press({ ...TYPED, 'y.': TEXT, _op: 'fields:' }));
  opened.sent.set('v.spec.instances', '4');
  const answer = await press({ ...Object.fromEntries(opened.sent), _do: 'download' });
  assert.equal(await answer.text(), `${TEXT}instances: 4\n`);
});
