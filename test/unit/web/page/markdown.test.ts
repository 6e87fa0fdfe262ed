import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMarkdown } from '../../../../src/web/page/markdown.ts';
import { pictureAddress, pictureOf } from '../../../../src/web/page/picture-address.ts';

const CASES: readonly (readonly [why: string, source: string, html: string])[] = [
  ['headings begin below those of the page', '# Title', '<h3 dir="auto">Title</h3>'],
  ['deep headings end at the sixth level', '##### Deep', '<h6 dir="auto">Deep</h6>'],
  ['a script goes with its content', '<script>alert(1)</script>', ''],
  ['a handler goes', '<p onclick="alert(1)">x</p>', '<p dir="auto">x</p>'],
  ['a style goes', '<p style="position:fixed" class="button" id="main">x</p>', '<p dir="auto">x</p>'],
  ['a javascript link keeps its text only', '[x](javascript:alert%281%29)', '<p dir="auto">x</p>'],
  ['a data link keeps its text only', '[x](data:text/html,x)', '<p dir="auto">x</p>'],
  ['a relative link would lead into our pages', '[x](/logout)', '<p dir="auto">x</p>'],
  ['a protocol-relative link is no link of ours either', '[x](//evil.test)', '<p dir="auto">x</p>'],
  [
    'a good link tells nobody where it was',
    '[x](https://a.test)',
    '<p dir="auto"><a href="https://a.test" rel="noopener noreferrer nofollow">x</a></p>',
  ],
  [
    'a picture by https is served by us',
    '![x](https://a.test/x.png)',
    `<p dir="auto"><img src="${pictureAddress('https://a.test/x.png') ?? ''}" alt="x" loading="lazy" /></p>`,
  ],
  [
    'a picture by a data address stays',
    '![x](data:image/png;base64,AA)',
    '<p dir="auto"><img src="data:image/png;base64,AA" alt="x" loading="lazy" /></p>',
  ],
  [
    'a picture has no other attributes',
    '<img src="data:image/png,x" srcset="https://a.test/x 2x" width="9" alt="">',
    '<img src="data:image/png,x" alt="" loading="lazy" />',
  ],
  ['a picture by an address of ours goes', '<img src="/pictures/x/y">', ''],
  ['a picture by http goes', '![x](http://a.test/x.png)', '<p dir="auto"></p>'],
  ['a relative picture goes', '![x](logo.png)', '<p dir="auto"></p>'],
  ['an onerror picture goes', '<img src=x onerror=alert(1)>', ''],
  ['a frame goes', '<iframe src="https://a.test"></iframe>', ''],
  ['a form goes, its words stay', '<form action="/logout" method="post"><button>x</button></form>', 'x'],
  ['an svg goes', '<svg><animate onbegin=alert(1)></svg>', '<p dir="auto"></p>'],
  ['a comment goes', '<!-- x -->', ''],
  ['a block that scrolls can be focused', '```\nx\n```', '<pre tabindex="0"><code>x\n</code></pre>'],
  [
    'blocks run in the direction of their first letter, whatever they say of it themselves',
    '<p dir="rtl">a</p>\n\n- عنوان\n\n3. x\n',
    '<p dir="auto">a</p><ul dir="auto">\n<li>عنوان</li>\n</ul>\n<ol dir="auto" start="3">\n<li>x</li>\n</ol>',
  ],
  ['a base address goes', '<base href="https://evil.test/">', ''],
  ['a meta refresh goes', '<meta http-equiv="refresh" content="0;url=https://evil.test">', ''],
];
for (const [why, source, html] of CASES) {
  test(`README: ${why}`, () => assert.equal(renderMarkdown(source).html.trim(), html));
}

test('README: an endless one is cut', () => {
  assert.ok(renderMarkdown('x '.repeat(500_000)).html.length < 300_000);
});

const TOO_MUCH: readonly (readonly [what: string, source: string])[] = [
  ['quotes within quotes', '>'.repeat(50_000)],
  ['lists within lists', '1. '.repeat(50_000)],
  ['more signs of emphasis than the parser has time for', `<b>_a${'_a'.repeat(10_000)}`],
];
for (const [what, source] of TOO_MUCH) {
  test(`README: ${what} are shown as the text that they are`, () => {
    const { html } = renderMarkdown(source);
    assert.match(html, /^<pre tabindex="0">(&gt;|1\. |&lt;b&gt;_a_a)/);
  });
}

test('an address of a picture is ours only as we have made it', () => {
  const [, , signature = '', encoded = ''] = (pictureAddress('https://a.test/x.png') ?? '').split('/');
  assert.equal(pictureOf(signature, encoded), 'https://a.test/x.png');
  const other = Buffer.from('https://b.test/x.png').toString('base64url');
  assert.deepEqual([pictureOf(signature, other), pictureOf('', encoded), pictureOf('AAAA', encoded)], [undefined, undefined, undefined]);
});
