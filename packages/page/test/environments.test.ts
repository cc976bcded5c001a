import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { hasChromium, launchChromium, withServerClient } from '@waybill/testing';
import fc from 'fast-check';
import { materialise, pageStyle, render, rendererVersion, resolve } from '../src/index.ts';
import { shopFacts, shopPage } from '../testing/shop.ts';
import { blocks, documents } from './arbitraries.ts';
import { bundle } from './bundle.ts';
import { type Case, renderCase } from './case.ts';
import { hostileTexts } from './hostile-texts.ts';
import { everyElementPage } from './samples/every-element.ts';

const seed = Number(process.env.SEED) || Math.trunc(performance.timeOrigin);

const sampled = fc.sample(
  fc.record({
    document: documents,
    sections: fc.record({ sec_1: documents, sec_2: documents }),
    blocks: fc.record({ 'app_1/reviews': blocks, 'app_2/banner': blocks }),
    words: fc.array(fc.constantFrom(...hostileTexts), { minLength: 7, maxLength: 7 }),
    publish: fc.boolean(),
  }),
  { seed, numRuns: 200 },
);
/** Read from JSON, as any program would read them. */
const cases: Case[] = JSON.parse(JSON.stringify(sampled));
const expected = JSON.stringify(cases.map(renderCase));

/** Returns the same value with the keys of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, reversed(inner)]);
  return Object.fromEntries(entries.reverse());
}

async function renderedInProcess(env: Record<string, string>, ...args: string[]): Promise<string> {
  const script = fileURLToPath(new URL('./render-cases.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(cases));
  return text(child.stdout);
}

describe(`the bytes of a page stay the same (seed ${seed})`, () => {
  test('whatever order an object has its keys in', () => {
    const same = cases.map((one) => renderCase(reversed(one) as Case));
    expect(JSON.stringify(same)).toBe(expected);
  });

  test('after the documents have been in a jsonb column', async () => {
    const { rows } = await withServerClient((client) =>
      client.query('select $1::jsonb as cases', [JSON.stringify(cases)]),
    );
    expect(JSON.stringify(rows[0].cases.map(renderCase))).toBe(expected);
  });

  test.each([
    { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
    { TZ: 'America/St_Johns', LANG: 'C', LC_ALL: 'C' },
    { TZ: 'Asia/Kolkata', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' },
  ])('in a process with $TZ and $LANG', async (env) => expect(await renderedInProcess(env)).toBe(expected));

  test('where clock, locale and chance throw', async () => {
    expect(await renderedInProcess({}, 'hostile')).toBe(expected);
  });

  (hasChromium('pages in other browser languages')
    ? test.each(['tr-TR', 'ar-EG', 'ja-JP'])
    : test.skip.each(['any']))(
    'in a Chromium that speaks %s, where clock, locale and chance throw',
    async (language) => {
      const browser = await launchChromium({
        args: [`--lang=${language}`],
        env: { TZ: 'Asia/Tehran', LANGUAGE: language },
      });
      try {
        const page = await browser.newPage({ locale: language });
        expect(
          await page.evaluate('[Intl.NumberFormat().resolvedOptions().locale, navigator.language]'),
        ).toEqual([language, language]);
        await page.addScriptTag({
          content: `Math.random = () => { throw 1 }; for (const name of ['Intl', 'Date'])
            Object.defineProperty(window, name, { get() { throw name } });`,
        });
        await page.addScriptTag({ content: await bundle('./in-browser.ts') });
        const seen = JSON.parse(await page.evaluate<string>(`see(${JSON.stringify(JSON.stringify(cases))})`));
        const rendered = seen.map(({ html, css }: { html: string; css: string }) => ({ html, css }));
        expect(JSON.stringify(rendered)).toBe(expected);
      } finally {
        await browser.close();
      }
    },
  );
});

test('a change of what pages become is a new version of the renderer', () => {
  const source = { sections: new Map(), block: () => undefined, publish: true };
  const pages = [everyElementPage, shopPage].map((page) =>
    render(resolve(materialise(page, source)!, shopFacts)),
  );
  const bytes = createHash('sha256')
    .update(JSON.stringify([pages, pageStyle('')]))
    .digest('hex')
    .slice(0, 16);
  // If the bytes change on purpose, change both values here: live pages are rendered again only for a new version.
  expect({ rendererVersion, bytes }).toEqual({ rendererVersion: 14, bytes: 'e9bf92fecfb2ece2' });
});

describe('the source', () => {
  test('asks no clock, no locale, no chance, and imports nothing from outside', async () => {
    const source = fileURLToPath(new URL('../src', import.meta.url));
    const all = await readdir(source, { recursive: true });
    // node.ts is for servers and not part of the bundle.
    const names = all.filter((name) => name.endsWith('.ts') && name !== 'node.ts');
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      const code = await readFile(`${source}/${name}`, 'utf8');
      const withoutComments = code.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      expect({
        name,
        found: withoutComments.match(/\b(?:Date|Intl|localeCompare|toLocale\w*|Math\.random|crypto)\b/g),
      }).toEqual({ name, found: null });
      const imports = [...code.matchAll(/from '([^']+)'/g)].map(([, path]) => path!);
      expect(imports.filter((path) => !path.startsWith('.'))).toEqual([]);
    }
  });
});
