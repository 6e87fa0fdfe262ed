import Handlebars from 'handlebars';
import { Marked } from 'marked';
import sanitizeHtml from 'sanitize-html';
import { pictureAddress } from './picture-address.ts';
import { mintSafeHtml, type SafeHtml } from './safe-html.ts';

const LENGTH_LIMIT = 200_000;
/** The parser compares each sign of emphasis with those before it: a hundred thousand keep it busy for most of a minute. */
const MAX_CHARACTERS = 10_000;
const marked = new Marked({ gfm: true, async: false });

/**
 * Renders foreign Markdown. Raw HTML in it passes the same sieve as what the Markdown makes: a few text elements, links to http(s) and mail,
 * images from https, which we fetch, and data addresses; no classes, ids, styles, forms or scripts. Headings begin at `h3`, below those of the page. What the parser
 * cannot cope with is shown as the text that it is.
 */
export function renderMarkdown(source: string): SafeHtml {
  return mintSafeHtml(sanitizeHtml(parse(source.slice(0, LENGTH_LIMIT)), RULES));
}

function parse(text: string): string {
  const signs = text.length - text.replaceAll(/[*_]/g, '').length;
  if (signs > MAX_CHARACTERS) return asItIs(text);
  try {
    return marked.parse(text, { async: false });
  } catch (error) {
    // The parser recurses, so that thousands of quotes within quotes end its stack.
    if (!(error instanceof RangeError)) throw error;
    return asItIs(text);
  }
}

function asItIs(text: string): string {
  return `<pre>${Handlebars.escapeExpression(text)}</pre>`;
}

const TAGS = 'h3 h4 h5 h6 p br hr ul ol li blockquote pre code kbd strong em del sub sup a img table thead tbody tr th td dl dt dd';
/** Blocks of text. Not the items of lists and the cells of tables: what has a direction of its own does not count for what holds it. */
const BLOCKS = ['h6', 'p', 'ul', 'ol', 'table', 'dl'];
const RULES: sanitizeHtml.IOptions = {
  allowedTags: TAGS.split(' '),
  allowedAttributes: {
    ...Object.fromEntries(BLOCKS.concat('h3', 'h4', 'h5').map((tag) => [tag, ['dir']])),
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'title', 'loading'],
    ol: ['dir', 'start'],
    pre: ['tabindex'],
  },
  allowedSchemes: ['https', 'http', 'mailto'],
  allowedSchemesByTag: { img: ['data'] },
  allowProtocolRelative: false,
  transformTags: {
    ...Object.fromEntries(BLOCKS.map((tag) => [tag, inOwnDirection(tag)])),
    h1: inOwnDirection('h3'),
    h2: inOwnDirection('h4'),
    h3: inOwnDirection('h5'),
    h4: inOwnDirection('h6'),
    h5: inOwnDirection('h6'),
    b: 'strong',
    i: 'em',
    a: (_tag, attributes) => linkOf(attributes),
    img: (_tag, attributes) => pictureIn(attributes),
    // A wide block scrolls, and what scrolls must be reachable by keyboard.
    pre: () => ({ tagName: 'pre', attribs: { tabindex: '0' } }),
  },
  exclusiveFilter: (frame) => frame.tag === 'img' && frame.attribs.src === undefined,
};

/** A block of text runs in the direction of its first letter: a README may be in Arabic and in English. */
function inOwnDirection(tag: string): sanitizeHtml.Transformer {
  return (_tag, { start }) => ({ tagName: tag, attribs: { dir: 'auto', ...(start === undefined ? {} : { start }) } });
}

/** A relative address would lead into our own pages, where the README means its repository: the text stays, the link goes. */
function linkOf({ href, title }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  if (href === undefined || !/^(https?:\/\/|mailto:)/i.test(href)) return { tagName: 'span', attribs: {} };
  return { tagName: 'a', attribs: { href, rel: 'noopener noreferrer nofollow', ...(title === undefined ? {} : { title }) } };
}

function pictureIn({ src = '', alt = '', title }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const shown = /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i.test(src) ? src : pictureAddress(src);
  const attribs = { alt, loading: 'lazy', ...(title === undefined ? {} : { title }) };
  return { tagName: 'img', attribs: shown === undefined ? attribs : { src: shown, ...attribs } };
}
