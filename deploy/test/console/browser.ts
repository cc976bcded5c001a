import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import * as testing from '@waybill/testing';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { SharedSystem } from '../e2e/topologies.ts';
import { type Keys, keysOf } from './keys.ts';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A person at the console: one browser context, and the problems that occurred in it. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** The keyboard, for journeys without a mouse. */
  keys: Keys;
  /** Opens a screen and waits for its title. */
  visit(path: string): Promise<void>;
  /** Returns to the tab after a while, so that outdated data is read again. */
  lookBack(): Promise<void>;
  /** Holds posts to an address of the API, as a slow connection does. */
  holdPosts(path: string): Promise<HeldPosts>;
  /** Delivers posts to an address of the API and loses their answers; the returned function ends that. */
  loseAnswers(path: string): Promise<() => Promise<void>>;
  /** Signs in with the form. */
  signIn(account: { email: string; password: string }): Promise<void>;
  /**
   * Returns the problems since the last call: errors of scripts, of loading and of the policy, a screen that was
   * removed while a part of it loaded, lost focus, and barriers in opened elements.
   */
  complaints(): string[];
  /** Waits for an element that opens over the screen, by its name, and checks it for barriers. */
  opened(role: 'dialog' | 'alertdialog' | 'menu', name: string | RegExp): Promise<Locator>;
  /** Returns the findings of axe on the current screen, dark on a phone and light on a desktop. */
  findBarriers(): Promise<string[]>;
  close(): Promise<void>;
}

/** Writes that stay in progress for as long as a test needs. */
export interface HeldPosts {
  /** Resolves when the first one is in progress. */
  areSent: Promise<void>;
  /** Returns how many were sent. */
  count(): number;
  letGo(): void;
}

/** Opens the console of a system for a new person. */
export async function newVisitor(
  browser: Browser,
  { baseUrl }: Pick<SharedSystem, 'baseUrl'>,
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: desktop,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  await context.addInitScript({ content: noteHiddenScreens + countReloads });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.PATIENCE_MS ?? 60_000));
  let complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(String(error.stack)));

  /** Runs axe while no list is being reloaded: lists are dimmed meanwhile. */
  async function findInStillPage(within?: string): ReturnType<typeof runAxe> {
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    const before = await page.evaluate<number>('reloads');
    const found = await runAxe(page, within);
    return found.length > 0 && (await page.evaluate<number>('reloads')) > before
      ? findInStillPage(within)
      : found;
  }

  async function findBarriers(within?: string): Promise<string[]> {
    const found: string[] = [];
    for (const [viewport, colorScheme] of looks) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await title(page).waitFor();
      for (const { id, targets } of await findInStillPage(within))
        found.push(`${colorScheme} ${viewport.width}: ${id} ${targets.join(' | ')}`);
    }
    return found;
  }

  return {
    page,
    context,
    keys: keysOf(page, (what) => complaints.push(what)),
    async visit(path) {
      await page.goto(`${baseUrl}/console${path}`);
      await title(page).waitFor();
    },
    lookBack: () =>
      page.evaluate(`{
        const now = Date.now;
        Date.now = () => now() + 10_000;
        window.dispatchEvent(new Event('visibilitychange'));
      }`),
    async holdPosts(path) {
      const sent = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      let count = 0;
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() === 'POST') {
          count++;
          sent.resolve();
          await held.promise;
        }
        await route.fallback();
      });
      return { areSent: sent.promise, count: () => count, letGo: held.resolve };
    },
    async loseAnswers(path) {
      const debug = await context.newCDPSession(page);
      debug.on('Fetch.requestPaused', ({ requestId, request }) => {
        if (request.method !== 'POST') return void debug.send('Fetch.continueResponse', { requestId });
        void debug.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' });
      });
      await debug.send('Fetch.enable', { patterns: [{ urlPattern: `*${path}`, requestStage: 'Response' }] });
      return () => debug.detach();
    },
    async signIn({ email, password }) {
      await page.goto(`${baseUrl}/console/sign-in`);
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('navigation', { name: 'Navigation' }).waitFor();
    },
    complaints() {
      const found = complaints;
      complaints = [];
      return found;
    },
    findBarriers: () => findBarriers(),
    async opened(role, name) {
      const over = page.getByRole(role, { name }).last();
      await over.waitFor();
      for (const barrier of await findBarriers(`[role=${role}]`)) complaints.push(`${name}: ${barrier}`);
      return over;
    },
    close: () => context.close(),
  };
}

/**
 * Reports screens that were hidden. A part of a screen that suspends hides all of it until it is loaded, and takes the
 * focus from the user; a screen that makes way for another one does not come back.
 */
const noteHiddenScreens = `
  const gone = new WeakSet();
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!target.matches('[data-screen]')) continue;
      if (target.style.display === 'none') gone.add(target);
      else if (gone.delete(target))
        console.error('taken away for a moment: ' + target.querySelector('h1').textContent);
    }
  }).observe(document, { subtree: true, attributeFilter: ['style'] });`;

/** Counts how often lists begin and end to be reloaded. */
const countReloads = `
  window.reloads = 0;
  new MutationObserver(() => window.reloads++).observe(document, { subtree: true, attributeFilter: ['aria-busy'] });`;

const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };
/** Each width and each scheme once: colours do not depend on widths, and axe took a quarter of the suites' CPU. */
const looks = [
  [phone, 'dark'],
  [desktop, 'light'],
] as const;

/** Returns the title of the current screen. */
const title = (page: Page) => page.locator('[data-screen-title]').first();

/**
 * Starts Chromium for the console, whose code runs only a few times in a test: compiling it for speed, and collecting
 * small heaps often, would cost a sixth more CPU.
 */
export const launchChromium = (options: { hasWindows?: boolean } = {}): Promise<Browser> =>
  testing.launchChromium({ ...options, args: ['--js-flags=--no-maglev,--no-opt,--min-semi-space-size=32'] });

/**
 * Runs axe on a page, or within the element of a selector. The script is injected by the debugger, the only way that
 * the page's policy does not block.
 */
export async function runAxe(page: Page, within?: string): Promise<{ id: string; targets: string[] }[]> {
  // Announcements by React Aria point at elements that existed then.
  const context = { exclude: ['[data-live-announcer]'], ...(within && { include: [within] }) };
  const options = {
    // Passed checks are useless here, and describing all of their elements costs a third of the time.
    resultTypes: ['violations'],
    // Stylesheets are loaded for a rule that axe does not run by default.
    preload: false,
    // axe is not in the pages of frames, and would wait for each of them.
    iframes: false,
  };
  const debug = await page.context().newCDPSession(page);
  const evaluate = async (expression: string) => {
    const { result } = await debug.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    return String(result.value);
  };
  if ((await evaluate('typeof axe')) === 'undefined') await evaluate(`${axe};0`);
  const violations: Violation[] = JSON.parse(
    await evaluate(
      `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then(({ violations }) => JSON.stringify(violations))`,
    ),
  );
  await debug.detach();
  return violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target.join(' ')) }));
}

interface Violation {
  id: string;
  nodes: { target: string[] }[];
}
