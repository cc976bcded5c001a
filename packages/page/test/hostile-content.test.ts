import { existsSync, readFileSync } from 'node:fs';
import { hasChromium, launchChromium } from '@waybill/testing';
import type { Browser } from 'playwright-core';
import {
  type Block,
  type Json,
  materialise,
  type PageNode,
  pageHtml,
  type Rendered,
  render,
  resolve,
  type ValueType,
  vocabulary,
} from '../src/index.ts';
import { createFacts } from './case.ts';
import { hostileTexts } from './hostile-texts.ts';
import { type Site, startSite } from './site.ts';

/** Reads a collection shared by several projects, if it lies beside this one; otherwise returns none. */
function corpus<Item>(path: string): Item[] {
  const file = ['../../../../', '../../../../../']
    .map((above) => new URL(`${above}shared/corpora/${path}`, import.meta.url))
    .find((each) => existsSync(each));
  return file ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/** Fills in the placeholders of H5SC. */
const filled = (data: string) =>
  data.replaceAll(/%js_uri[^%]*%/g, 'javascript:alert(1)').replaceAll(/%js[^%]*%/g, 'alert(1)');

const more = [
  'java\tscript:alert(1)',
  'JaVaScRiPt:alert(1)',
  '\x01javascript:alert(1)',
  ' javascript:alert(1)',
  'javascript&colon;alert(1)',
  'javascript\u200b:alert(1)',
  'javascript\\x3aalert(1)',
  'blob:x',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'filesystem:x',
  '//evil.example/%0aalert(1)',
  'red;background:url(javascript:alert(1))',
  '#fff}</style><script>alert(1)</script>',
  'url("x")',
];

const texts = [
  ...new Set([
    ...hostileTexts,
    ...more,
    ...corpus<{ payload: string }>('xss/dompurify-expect.json').map(({ payload }) => payload),
    ...corpus<{ data: string }>('xss/h5sc-items.json').map(({ data }) => filled(data)),
    ...corpus<string>('naughty-strings/blns.json'),
  ]),
].map((text) => text.toWellFormed());

/** Returns the text in the shape of a value of the type, whether or not a check would accept it. */
function shaped(type: ValueType, text: string): Json {
  switch (type.kind) {
    case 'richText': {
      const marks: Json[] = [{ type: 'link', attrs: { href: text } }, { type: text }];
      const content: Json[] = [
        { type: 'paragraph', content: [{ type: 'text', text, marks }] },
        { type: 'codeBlock', content: [{ type: 'text', text }] },
        { type: text, content: [{ type: 'text', text }] },
      ];
      return { type: 'doc', content };
    }
    case 'items':
      return [
        ...(type.items?.anyOf ? [text] : []),
        {
          text,
          href: text,
          src: text,
          alt: text,
          caption: text,
          label: text,
          value: text,
          items: [{ text, href: text }],
        },
      ];
    case 'source':
      return { kind: 'tag', tag: text };
    case 'product':
      return 'prd_1';
    case 'boolean':
      return true;
    default:
      return text;
  }
}

/**
 * Returns a block with every element and the text in every field, with an island, and an app's value wherever one is
 * allowed.
 */
function filledWith(text: string): Block {
  const style = Object.fromEntries(Object.keys(vocabulary.writeKeys.style).map((key) => [key, text]));
  const config = Object.fromEntries(Object.keys(vocabulary.writeKeys.config).map((key) => [key, text]));
  const nodes = Object.entries(vocabulary.elementTypes).flatMap(
    ([type, { specials, bindable, maxChildren }]): PageNode[] => {
      const values = Object.fromEntries(
        Object.entries(specials).map(([name, special]) => [name, shaped(special.type, text)]),
      );
      const bindings = bindable.map((field) => ({ source: 'app.note', field }));
      return [
        ...(maxChildren ? [{ id: `copied/${type}`, type: 'articleTitle' }] : []),
        {
          id: `${type}/${text}`,
          type,
          children: maxChildren ? [`copied/${type}`] : [],
          props: { specials: values, config: { base: config } },
        },
        { id: `${type}~${text}`, type, props: { specials: values, bindings }, island: text },
      ];
    },
  );
  const props = {
    specials: { productId: 'prd_1' },
    style: { base: style, mobile: { backgroundImage: { src: text } } },
  };
  const root = {
    id: 'root',
    type: 'product',
    props,
    children: nodes.map(({ id }) => id).filter((id) => !id.startsWith('copied/')),
  };
  return { key: 'all', name: 'All', rootId: 'root', nodes: [root, ...nodes] };
}

function renderedWith(text: string): Rendered {
  const reference = { id: 'ref', type: 'blockRef', props: { specials: { appId: 'app_1', blockKey: 'all' } } };
  const tree = materialise(
    { rootId: 'ref', nodes: [reference] },
    { sections: new Map(), block: () => filledWith(text), publish: true },
  );
  return render(resolve(tree!, createFacts({ words: [text] })));
}

/** Returns one page that contains the texts, each in every field, and the first one in its head. */
function renderPage(some: readonly string[]): string {
  const rendered = some.map(renderedWith);
  const [title = ''] = some;
  return pageHtml({
    html: rendered.map(({ html }) => html).join(''),
    css: rendered.map(({ css }) => css).join(''),
    title,
    lang: title,
    description: title,
    canonicalUrl: `https://x.test/${title}`,
    alternates: [{ lang: title, url: `https://x.test/${title}` }],
  });
}

/**
 * Runs in the page: reports forbidden content and code that ran. Uses JSON, because a form may be named `constructor`.
 */
const inspection = `(() => {
  const all = [...document.querySelectorAll('*')];
  const names = ['href', 'src', 'action', 'poster', 'formAction', 'data'];
  const urls = all.flatMap((each) => names.map((name) => each[name]));
  return JSON.stringify({
    size: all.length,
    ran,
    scripts: document.querySelectorAll('script:not([src="/assets/wb.js"], [src="/assets/shop.js"]), base, object, meta[http-equiv]').length,
    handlers: all.filter((each) => each.getAttributeNames().some((name) => /^on|^style$|^srcdoc$/.test(name))).length,
    urls: urls.filter((url) => typeof url === 'string' && URL.canParse(url) && !/^(https?|mailto|tel):/.test(url)),
    styles: document.querySelectorAll('style').length,
    frames: [...document.querySelectorAll('iframe')].filter((each) => !/^https:..(www.youtube-nocookie|player.vimeo).com./.test(each.src)).length,
  });
})()`;

(hasChromium('hostile content on pages') ? describe : describe.skip)('hostile content', () => {
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    // Every request to another host fails at once.
    browser = await launchChromium({ args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] });
    site = await startSite();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });

  test(`in every field of every element runs nothing and breaks out of nothing (${texts.length} texts)`, async () => {
    const page = await browser.newPage();
    await page.addInitScript(`window.ran = [];
      for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'])
        window[name] = () => window.ran.push(name);`);
    for (let i = 0; i < texts.length; i += 100) {
      const some = texts.slice(i, i + 100);
      site.files.set('/', { body: renderPage(some) });
      // Without a content security policy, so that only the renderer is tested.
      await page.goto(`${site.url}/`, { waitUntil: 'domcontentloaded', timeout: 120_000 });
      const { size, ...found } = JSON.parse(await page.evaluate<string>(inspection));
      expect({ i, found }).toEqual({
        i,
        found: { ran: [], scripts: 0, handlers: 0, urls: [], styles: 1, frames: 0 },
      });
      expect(size).toBeGreaterThan(some.length * 40);
    }
  }, 300_000);
});
