import { render, resolve } from '../src/index.ts';
import type { TreeNode } from '../src/materialise.ts';
import { fillLanguages, type PageLanguage } from '../src/render/languages.ts';

const languages: PageLanguage[] = [
  { lang: 'en', name: 'English', url: './', isCurrent: true },
  { lang: 'de', name: 'Deutsch "&"', url: './de/?q="<', isCurrent: false },
];
const facts = { currency: 'EUR', products: new Map(), media: new Map(), pages: new Map() };
const node = (type: string, specials = {}): TreeNode => ({
  path: type,
  entityId: type,
  type,
  style: {},
  config: {},
  specials,
  bindings: [],
  children: [],
});
const html = (type: string, specials = {}) => render(resolve(node(type, specials), facts)).html;

describe('a switch between languages', () => {
  test('is empty as it is rendered, and leads to the page in each language once it is filled', () => {
    const empty = html('languageSwitch');
    expect(empty).toBe('<nav class="wb-languages" aria-label="Language"></nav>');
    const filled = fillLanguages(`<p>Tea</p>${empty}`, languages);
    expect(filled).toMatch(/^<p>Tea<\/p><nav class="wb-languages" aria-label="Language"><details><summary>/);
    expect(filled).toContain('<a href="./" hreflang="en" lang="en" aria-current="true">English</a>');
    expect(filled).toContain('<a href="./de/?q=&quot;&lt;" hreflang="de" lang="de">Deutsch "&amp;"</a>');
  });

  test('stays empty where a page is in one language', () => {
    const empty = html('languageSwitch');
    expect(fillLanguages(empty, languages.slice(0, 1))).toBe(empty);
    expect(fillLanguages(empty, [])).toBe(empty);
  });

  test('is not what a text or a name only says', () => {
    for (const page of [
      html('text', { text: '<nav class="wb-languages"></nav>' }),
      html('searchField', { placeholder: '<nav class="wb-languages" aria-label="x"></nav>' }),
    ])
      expect(fillLanguages(page, languages)).toBe(page);
  });
});
