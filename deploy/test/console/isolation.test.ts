import { readFile } from 'node:fs/promises';
import { hasChromium } from '@waybill/testing';
import type { Browser } from 'playwright-core';
import { expectStatus } from '../../testing/accounts.ts';
import { documentOf, heading, Site } from '../e2e/site.ts';
import { type SharedSystem, topologies } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';

const describeWithChromium = hasChromium('the isolation of the console') ? describe : describe.skip;

/**
 * A script that tries everything that a live page could do to the console in which its visitor is signed in. Returns
 * what it got.
 */
const attack = await readFile(new URL('attack.mjs', import.meta.url), 'utf8');

// The gateway is the same in every topology, and what it answers to other origins is tested on each without a browser.
describeWithChromium.each(topologies.slice(-1))('the console on $name', ({ share }) => {
  let system: SharedSystem;
  let browser: Browser;
  let ann: Visitor;
  let site: Site;
  beforeAll(async () => {
    system = await share();
    browser = await launchChromium({ hasWindows: true });
    ann = await newVisitor(browser, system);
    site = await Site.open(system.baseUrl, 'Live');
    const { page } = expectStatus(
      await site.edit('POST', '/pages', { name: 'Home', slug: 'home' }),
      201,
    ).body;
    const document = documentOf([heading('Hello')]);
    expectStatus(await site.edit('PUT', `/pages/${page.id}/draft`, { document }), 200);
    expectStatus(await site.edit('POST', `/pages/${page.id}/publish`), 200);
    await ann.signIn(site.owner);
  });
  afterAll(() => browser?.close());

  test('is closed to what runs on live pages: its storage, its session, its API, its windows', async () => {
    const { port } = new URL(system.baseUrl);
    const page = await ann.context.newPage();
    await page.goto(`http://${site.slug}.localhost:${port}/home`);
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
    const got = await page.evaluate(`(${attack.replace('export ', '')})(${JSON.stringify(system.baseUrl)})`);
    expect(got).toEqual({
      storage: '{}',
      cookies: '',
      refresh: 'refused: TypeError',
      refreshUnseen: expect.stringMatching(/^(refused: TypeError|opaque)$/),
      me: 'refused: TypeError',
      framed: expect.stringMatching(/^refused: (TypeError|SecurityError)$/),
      opened: expect.stringMatching(/^(refused: (TypeError|SecurityError)|closed to us)$/),
    });
    await page.close();
  });

  test('is no way from one store to another: cookies, storage, workers, windows', async () => {
    const other = await Site.open(system.baseUrl, 'Other');
    await other.live('Home', documentOf([heading('Other’s')]));
    const { port } = new URL(system.baseUrl);
    const [mine, theirs] = [site, other].map(({ slug }) => `http://${slug}.localhost:${port}/home`);
    const page = await ann.context.newPage();
    await page.goto(mine!);
    const got = await page.evaluate(`(async (theirs) => {
      const tried = (promise) => Promise.resolve(promise).then(() => 'done', (error) => error.name);
      for (const domain of ['localhost', '.localhost', new URL(theirs).hostname])
        document.cookie = 'wb-cart=tossed; path=/; domain=' + domain;
      localStorage.setItem('mine', '1');
      const window = open(theirs);
      const frame = document.body.appendChild(document.createElement('iframe'));
      frame.src = theirs;
      await new Promise((resolve) => frame.addEventListener('load', resolve));
      const inside = (get) => { try { return get() ? 'reached' : 'nothing'; } catch (error) { return error.name; } };
      // Until it has gone there it is this page's own.
      while (window && inside(() => window.location.href) !== 'SecurityError')
        await new Promise(requestAnimationFrame);
      const found = {
        read: await tried(fetch(theirs, { credentials: 'include' })),
        opened: window ? inside(() => window.document.body.textContent) : 'nothing',
        framed: inside(() => frame.contentDocument?.body.textContent),
        worker: await tried(navigator.serviceWorker.register('/assets/shop.js', { scope: '/' })),
        sharedWorker: inside(() => new SharedWorker(new URL('/assets/shop.js', theirs))),
      };
      window?.close();
      return found;
    })(${JSON.stringify(theirs)})`);
    expect(got).toEqual({
      read: 'TypeError',
      opened: 'SecurityError',
      framed: expect.stringMatching(/^(nothing|SecurityError)$/),
      worker: 'SecurityError',
      sharedWorker: 'SecurityError',
    });
    const sent = page.waitForRequest(theirs!);
    await page.goto(theirs!);
    expect((await (await sent).allHeaders()).cookie).toBe(undefined);
    await page.getByRole('heading', { name: 'Other’s' }).waitFor();
    const there = await page.evaluate(`(async () => [
      document.cookie, localStorage.length, (await navigator.serviceWorker.getRegistrations()).length
    ])()`);
    expect(there).toEqual(['', 0, 0]);
    await page.close();
  });

  test('and the session there goes on as if nothing had been', async () => {
    ann.complaints();
    await ann.page.reload();
    await ann.page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
    expect(ann.complaints()).toEqual([]);
  });
});
