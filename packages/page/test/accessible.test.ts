import { hasChromium, launchChromium } from '@waybill/testing';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { materialise, type PageDocument, pageHtml, render, resolve, vocabulary } from '../src/index.ts';
import { shopFacts, shopPage } from '../testing/shop.ts';
import { desktopPage } from './samples/desktop.ts';
import { everyElementPage } from './samples/every-element.ts';

function renderHtml(document: PageDocument): string {
  const tree = materialise(document, { sections: new Map(), block: () => undefined, publish: true });
  return pageHtml({ title: 'Demo Tea', lang: 'en', ...render(resolve(tree!, shopFacts)) });
}

test('the sample has every element', () => {
  const used = new Set(everyElementPage.nodes.map(({ type }) => type));
  const all = Object.entries(vocabulary.elementTypes).filter(([, { documentOnly }]) => !documentOnly);
  expect(all.map(([type]) => type).filter((type) => !used.has(type))).toEqual([]);
});

/** Runs in the page: finds elements that are wider than their place or overlap their neighbours. */
const misfits = `(() => {
  const all = [...document.body.querySelectorAll('*')];
  const name = (each) => each.tagName + '.' + each.className + ' ' + each.textContent.slice(0, 20);
  const boxes = [...document.querySelectorAll('.wb-button, .wb-link, .wb-icon')];
  const meets = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return {
    outside: all.filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map(name),
    overfull: boxes.filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0).map(name),
    touching: boxes.filter(({ nextElementSibling: next }) => next && next.matches('.wb-button, .wb-link')).filter((each) => {
      const [a, b] = [each.getBoundingClientRect(), each.nextElementSibling.getBoundingClientRect()];
      return meets(a, { left: b.left - 4, right: b.right + 4, top: b.top, bottom: b.bottom });
    }).map(name),
  };
})()`;

/** Runs in the page: finds texts too narrow to read and elements beyond the edge of their box, by section name. */
const unreadable = `(() => {
  const name = (each) => each.closest('section').getAttribute('aria-label') + ': ' + each.className;
  const texts = [...document.querySelectorAll('.wb-text')];
  const boxes = [...document.querySelectorAll('.wb-section, .wb-section *')];
  return {
    narrow: texts.filter((each) => each.textContent.length > 20 && each.offsetWidth < 200).map(name),
    spilling: boxes.filter((each) => each.clientHeight > 0 && each.scrollHeight > each.clientHeight + 8).map(name),
  };
})()`;

(hasChromium('accessibility of pages') ? describe : describe.skip)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  describe.each([
    ['a telephone', 360],
    ['a desktop', 1280],
  ])('on %s', (_, width) => {
    test.each([
      ['every element', everyElementPage],
      ['a shop', shopPage],
      ['what is laid out for a desktop', desktopPage],
    ])('%s is accessible and fits', async (_what, document) => {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      try {
        await page.route('**/*', (route) => route.abort());
        await page.setContent(renderHtml(document), { waitUntil: 'domcontentloaded' });
        expect(await page.evaluate(misfits)).toEqual({ outside: [], overfull: [], touching: [] });
        if (document === desktopPage)
          expect(await page.evaluate(unreadable)).toEqual({ narrow: [], spilling: [] });
        await page.evaluate(axe.source);
        const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
          `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
        );
        expect(found.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
      } finally {
        await page.close();
      }
    });
  });
});
