import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import express from 'express';
import supertest from 'supertest';
import { readAssets } from '../../../../src/web/page/assets.ts';

const assets = readAssets(path.join(import.meta.dirname, '../../../../views/static'));
const app = express().use(assets.router);

test('a static file is kept for a year under an address that changes with its content', async () => {
  const address = assets.url('js/main.js');
  assert.match(address, /^\/static\/[0-9a-f]{12}\/js\/main\.js$/);
  const response = await supertest(app)
    .get(address)
    .expect(200)
    .expect('Content-Type', /text\/javascript/);
  assert.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable');
});

test('the address of another release answers with the file of today, which nobody keeps', async () => {
  await supertest(app).get('/static/000000000000/js/main.js').expect(200).expect('Cache-Control', 'no-cache');
});

test('the style sheets are one, and tokens come first', async () => {
  const { text } = await supertest(app)
    .get(assets.url('css/chandlery.css'))
    .expect(200)
    .expect('Content-Type', /text\/css/);
  assert.ok(text.indexOf('@layer tokens, base') < text.indexOf('.button'));
});

test('nothing outside the folder is served, and an unknown file stops the template that names it', async () => {
  await supertest(app).get('/static/x/..%2f..%2f..%2fpackage.json').expect(404);
  await supertest(app).get('/static/x/../../package.json').expect(404);
  assert.throws(() => assets.url('nope.css'), /no such file/);
});
