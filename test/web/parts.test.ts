import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import express from 'express';
import supertest from 'supertest';
import type { Browser, Page } from 'playwright-core';
import { readAssets } from '../../src/web/page/assets.ts';
import { findingsOf } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';
import { partExamples } from '../support/part-examples.ts';
import { sampleViews } from '../support/sample-web.ts';

/** A part does not know which headings stand above it on a page; the pages are checked for that. */
const WITHOUT = ['heading-order'];
const STATIC = path.join(import.meta.dirname, '../../views/static');
const views = sampleViews();
let styles = '';
let browser: Browser;
let page: Page;
before(async () => {
  const assets = readAssets(STATIC);
  styles = (await supertest(express().use(assets.router)).get(assets.url('css/chandlery.css'))).text;
  browser = await openBrowser();
  page = await browser.newPage({ reducedMotion: 'reduce' });
});
after(async () => browser.close());

for (const [part, examples] of partExamples()) {
  test(`the examples of the part ${part} are accessible`, async () => {
    for (const { name, model, wrap } of examples) {
      const html = views.render(`parts/${part}`, model);
      await page.setContent(frame(wrap === undefined ? html : `<${wrap}>${html}</${wrap}>`));
      assert.deepEqual(await findingsOf(page, { without: WITHOUT }), [], name);
    }
  });
}

/** A page around one example; parts that are landmarks themselves stand beside the main one. */
function frame(html: string): string {
  const landmark = /^<(header|footer)/.test(html);
  const body = landmark ? `${html}<main><h1>Part</h1></main>` : `<main><h1>Part</h1>${html}</main>`;
  return `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Part</title><style>${styles}</style></head><body>${body}</body></html>`;
}
