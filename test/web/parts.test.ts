import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { AxeResults } from 'axe-core';
import express from 'express';
import supertest from 'supertest';
import type { Browser } from 'playwright-core';
import { readAssets } from '../../src/web/page/assets.ts';
import { openBrowser } from '../support/browser.ts';
import { partExamples } from '../support/part-examples.ts';
import { sampleViews } from '../support/sample-web.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A part does not know which headings stand above it on a page; the pages are checked for that. */
const RUN_AXE = 'axe.run(document, { rules: { "heading-order": { enabled: false } } })';
const STATIC = path.join(import.meta.dirname, '../../views/static');
const views = sampleViews();
let styles = '';
let browser: Browser;
before(async () => {
  const assets = readAssets(STATIC);
  styles = (await supertest(express().use(assets.router)).get(assets.url('css/chandlery.css'))).text;
  browser = await openBrowser();
});
after(async () => browser.close());

for (const [part, examples] of partExamples()) {
  test(`the examples of the part ${part} are accessible in light and dark`, async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme });
      for (const { name, model, wrap } of examples) {
        const html = views.render(`parts/${part}`, model);
        await page.setContent(frame(wrap === undefined ? html : `<${wrap}>${html}</${wrap}>`));
        await page.evaluate(AXE);
        const { violations } = await page.evaluate<AxeResults>(RUN_AXE);
        const found = violations.flatMap((violation) => violation.nodes.map((node) => `${violation.id}: ${node.html}`));
        assert.deepEqual(found, [], `${name} (${colorScheme})`);
      }
      await page.close();
    }
  });
}

/** A page around one example; parts that are landmarks themselves stand beside the main one. */
function frame(html: string): string {
  const landmark = /^<(header|footer)/.test(html);
  const body = landmark ? `${html}<main><h1>Part</h1></main>` : `<main><h1>Part</h1>${html}</main>`;
  return `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Part</title><style>${styles}</style></head><body>${body}</body></html>`;
}
