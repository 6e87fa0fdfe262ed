import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { CATALOG_SOURCE, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { until } from '../support/product.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { RUN } from '../support/run-name.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

const TOKEN = randomBytes(16).toString('hex');
const BODY = JSON.stringify({ ref: 'refs/heads/main', repository: { clone_url: 'https://git.example.com/other.git' } });
const sign = (body = BODY, token = TOKEN): string => createHmac('sha256', token).update(body).digest('hex');

/** What each forge sends with a genuine webhook. */
const FORGES: Readonly<Record<string, () => Record<string, string>>> = {
  GitHub: () => ({ 'X-Hub-Signature-256': `sha256=${sign()}`, 'X-GitHub-Event': 'push' }),
  GitLab: () => ({ 'X-Gitlab-Token': TOKEN, 'X-Gitlab-Event': 'Push Hook' }),
  Gitea: () => ({ 'X-Gitea-Signature': sign(), 'X-Gitea-Event': 'push' }),
  Bitbucket: () => ({ 'X-Hub-Signature': `sha256=${sign()}`, 'X-Event-Key': 'repo:push' }),
  Generic: () => ({ 'X-Signature': `sha256=${sign()}` }),
};

describe('a webhook for a CatalogSource', { timeout: 120_000 }, () => {
  let product: SharedProduct;
  let kube: Kube;
  const nameOf = (type: string): string => `hook-${type.toLowerCase()}-${RUN}`;
  const declare = async (type: string, secretName = `hook-${RUN}`): Promise<void> => {
    const receiver = { type, secretRef: { name: secretName } };
    const spec = { suspend: true, git: { url: 'https://git.example.com/catalog.git' }, receiver };
    const object = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name: nameOf(type) }, spec };
    await kube.asController().apply(CATALOG_SOURCE, object, { fieldManager: 'test', force: 'force' });
  };
  const send = async (name: string, headers: Record<string, string>, body = BODY): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${product.origin}/hooks/${name}`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    return { status: answer.status, text: await answer.text() };
  };
  const askedAt = async (type: string): Promise<string | undefined> =>
    (await kube.asController().get({ ...CATALOG_SOURCE, name: nameOf(type) })).metadata.annotations?.['chandlery.dev/reconcile-at'];

  before(async () => {
    product = await sharedProduct();
    kube = openKube(product.kubeconfigPath);
    const metadata = { name: `hook-${RUN}`, namespace: 'chandlery-system' };
    const data = { token: Buffer.from(TOKEN).toString('base64') };
    await kube.asController().apply(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata, data }, { fieldManager: 'test', force: 'force' });
    for (const type of Object.keys(FORGES)) await declare(type);
  });
  after(async () => {
    for (const type of Object.keys(FORGES))
      await deleteWithIntent(kube.asController(), { type: CATALOG_SOURCE, object: { metadata: { name: nameOf(type) } } });
    await kube.asController().delete({ ...SECRET, namespace: 'chandlery-system', name: `hook-${RUN}` });
    await kube.close();
    await product.stop();
  });

  for (const [type, headers] of Object.entries(FORGES))
    it(`of ${type} has the source look for a new revision, if its sender knows the token`, async () => {
      await until(async () => (await send(nameOf(type), headers())).status === 202, 'the source is known');
      assert.match((await askedAt(type)) ?? '', /^\d{4}-/);
    });

  it('that is not genuine is answered as if the source did not exist, and asks for nothing', async () => {
    const sendGenuine = async (): Promise<number> => (await send(nameOf('GitHub'), FORGES['GitHub']?.() ?? {})).status;
    await until(async () => (await sendGenuine()) === 202, 'the source is known');
    // A burst is one request, and a second one when it is over.
    const first = await askedAt('GitHub');
    assert.equal(await sendGenuine(), 202);
    await until(async () => (await askedAt('GitHub')) !== first, 'the burst is over', 10_000);
    const before = await askedAt('GitHub');
    const unknown = await send('no-such-source', FORGES['GitHub']?.() ?? {});
    assert.equal(unknown.status, 404);
    const forged: readonly (readonly [string, Record<string, string>, string?])[] = [
      ['GitHub', {}],
      ['GitHub', { 'X-Hub-Signature-256': `sha256=${sign(BODY, 'another token of somebody')}` }],
      ['GitHub', { 'X-Hub-Signature-256': `sha256=${sign()}` }, `${BODY} `],
      ['GitHub', { 'X-Hub-Signature-256': sign() }],
      ['GitHub', { 'X-Hub-Signature-256': 'sha256=' }],
      ['GitHub', { 'X-Gitlab-Token': TOKEN }],
      ['GitHub', { 'X-Hub-Signature-256': `sha1=${sign()}` }],
      ['GitLab', { 'X-Gitlab-Token': '' }],
      ['GitLab', { 'X-Gitlab-Token': TOKEN.slice(1) }],
    ];
    const plain = ({ text }: { text: string }, name: string): string =>
      text.replaceAll(name, 'NAME').replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
    for (const [type, headers, body] of forged) {
      const answer = await send(nameOf(type), headers, body);
      assert.equal(answer.status, 404, JSON.stringify(headers));
      assert.equal(plain(answer, nameOf(type)), plain(unknown, 'no-such-source'));
    }
    assert.equal((await send(nameOf('GitHub'), FORGES['GitHub']?.() ?? {}, 'x'.repeat(4 * 1024 * 1024 + 1))).status, 413);
    assert.equal(await askedAt('GitHub'), before);
  });

  it('is checked with a long token alone, and belongs to a repository', async () => {
    const spec = { folder: { path: '/srv' }, receiver: { type: 'GitHub', secretRef: { name: 'x' } } };
    const object = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name: nameOf('folder') }, spec };
    await assert.rejects(kube.asController().create(CATALOG_SOURCE, object), /a folder needs no receiver/);
    const metadata = { name: `hook-short-${RUN}`, namespace: 'chandlery-system' };
    const data = { token: Buffer.from('short').toString('base64') };
    await kube.asController().create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata, data });
    await declare('Generic', metadata.name);
    const headers = { 'X-Signature': `sha256=${sign(BODY, 'short')}` };
    await until(async () => (await send(nameOf('Generic'), FORGES['Generic']?.() ?? {})).status === 404, 'the change is known');
    assert.equal((await send(nameOf('Generic'), headers)).status, 404);
    await kube.asController().delete({ ...SECRET, ...metadata });
  });
});
