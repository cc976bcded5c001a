import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { launchChromium } from '@waybill/testing';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { SharedSystem } from '../e2e/topologies.ts';
import { type Keys, keysOf } from './keys.ts';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A person at the console: one browser context, and what went wrong in it. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** The keyboard, for journeys by keys alone. */
  keys: Keys;
  /** Goes to a screen and waits for its title. */
  visit(path: string): Promise<void>;
  /** Comes back to the tab after a while: what is old by then is read again. */
  lookBack(): Promise<void>;
  /** Holds what is posted to an address of the API, as a slow line does. */
  holdPosts(path: string): Promise<HeldPosts>;
  /** What is posted to an address of the API gets there, and its answers get lost; what is given back ends that. */
  loseAnswers(path: string): Promise<() => Promise<void>>;
  /** Signs in by the form. */
  signIn(account: { email: string; password: string }): Promise<void>;
  /**
   * What there is to complain of since the last question: errors of scripts, of loading, of the policy; a screen that
   * was taken away while a part of it came; focus that got lost; barriers in what has opened.
   */
  complaints(): string[];
  /** Waits for what opens over the screen, by its name, and looks for barriers in it. */
  opened(role: 'dialog' | 'alertdialog' | 'menu', name: string | RegExp): Promise<Locator>;
  /** What axe finds on the present screen, dark on a phone and light on a desktop. */
  findBarriers(): Promise<string[]>;
  close(): Promise<void>;
}

/** Writes that are on their way for as long as a trial wants. */
export interface HeldPosts {
  /** When the first one is on its way. */
  areSent: Promise<void>;
  /** How many were sent. */
  count(): number;
  letGo(): void;
}

/** Lets somebody look at the console of a system. */
export async function newVisitor(
  browser: Browser,
  { baseUrl }: Pick<SharedSystem, 'baseUrl'>,
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: desktop,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  await context.addInitScript({ content: noteHiddenScreens });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.PATIENCE_MS ?? 60_000));
  let complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(String(error.stack)));

  async function findBarriers(within?: string): Promise<string[]> {
    const found: string[] = [];
    for (const [viewport, colorScheme] of looks) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await title(page).waitFor();
      // A list that is asked for anew is pale for as long.
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      for (const { id, targets } of await runAxe(page, within))
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
 * A mouse that drags. Playwright's own waits, while a button is down, for a script in every frame, and the editor's
 * frame runs none.
 */
export async function mouseOf(page: Page) {
  const debug = await page.context().newCDPSession(page);
  let at = { x: 0, y: 0 };
  let buttons = 0;
  const send = (type: 'mouseMoved' | 'mousePressed' | 'mouseReleased') =>
    debug.send('Input.dispatchMouseEvent', { type, ...at, button: 'left', buttons, clickCount: 1 });
  return {
    async move(x: number, y: number, { steps = 1 } = {}): Promise<void> {
      const from = at;
      for (let i = 1; i <= steps; i++) {
        at = { x: from.x + ((x - from.x) * i) / steps, y: from.y + ((y - from.y) * i) / steps };
        await send('mouseMoved');
      }
    },
    async down(): Promise<void> {
      buttons = 1;
      await send('mousePressed');
    },
    async up(): Promise<void> {
      buttons = 0;
      await send('mouseReleased');
    },
  };
}

/**
 * What suspends within a screen takes all of it away until it is there, and with it the focus of whoever is at work; one
 * that goes for another does not come back.
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
  }).observe(document, { subtree: true, attributeFilter: ['style'] })`;

const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };
/** Each width once and each scheme once: colours do not depend on widths, and axe took a quarter of the suites' CPU. */
const looks = [
  [phone, 'dark'],
  [desktop, 'light'],
] as const;

/** The title of the screen that is shown. */
const title = (page: Page) => page.locator('[data-screen-title]').first();

export { launchChromium };

/**
 * What axe finds on a page, or within what a selector names. It comes in by the debugger, which the page's policy does
 * not hold: nothing else lets a script in.
 */
export async function runAxe(page: Page, within?: string): Promise<{ id: string; targets: string[] }[]> {
  // What React Aria has read out points at what was there then.
  const context = { exclude: ['[data-live-announcer]'], ...(within && { include: [within] }) };
  const options = {
    // What passes is of no use to us, and to describe each of its elements costs a third of all.
    resultTypes: ['violations'],
    // Sheets, for a rule that is not among those that axe runs by itself.
    preload: false,
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
