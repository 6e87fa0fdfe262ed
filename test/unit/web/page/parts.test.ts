import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { partExamples } from '../../../support/part-examples.ts';
import { sampleViews } from '../../../support/sample-web.ts';

const VIEWS = path.join(import.meta.dirname, '../../../../views');
const views = sampleViews();

for (const [part, examples] of partExamples()) {
  test(`the part ${part} has examples, and each renders whole`, () => {
    assert.ok(examples.length > 0, `views/parts/${part}/examples.yaml is missing or empty`);
    for (const { name, model } of examples) {
      const html = views.render(`parts/${part}`, model);
      assert.notEqual(html.trim(), '', name);
      assert.doesNotMatch(html, /undefined|\[object Object\]|NaN/, name);
    }
  });
}

test('no template prints unescaped text, inline code or inline style', () => {
  const templates = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.hbs'));
  assert.ok(templates.length > 20);
  for (const file of templates) {
    const source = readFileSync(path.join(VIEWS, file), 'utf8');
    assert.doesNotMatch(source, /\{\{\{|\{\{&/, `${file}: unescaped`);
    assert.doesNotMatch(source, /\sstyle=|\son[a-z]+=|<script(?![^>]+src=)|<style|javascript:/i, `${file}: inline`);
  }
});

test('the browser modules stay below 300 lines in total', () => {
  const folder = path.join(VIEWS, 'static/js');
  const lines = readdirSync(folder).reduce((sum, file) => sum + readFileSync(path.join(folder, file), 'utf8').split('\n').length, 0);
  assert.ok(lines <= 300, `${lines} lines`);
});
