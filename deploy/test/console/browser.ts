import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { launchChromium } from '@waybill/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { SharedSystem } from '../e2e/topologies.ts';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A person at the console: one browser context, and what went wrong in it. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Goes to a screen and waits for its title. */
  visit(path: string): Promise<void>;
  /** Signs in by the form. */
  signIn(account: { email: string; password: string }): Promise<void>;
  /** What the browser has complained of since the last question: errors of scripts, of loading, of the policy. */
  complaints(): string[];
  /** What axe finds on the present screen, light and dark, on a phone and on a desktop. */
  findBarriers(): Promise<string[]>;
  close(): Promise<void>;
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
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.PATIENCE_MS ?? 60_000));
  let complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(String(error.stack)));

  return {
    page,
    context,
    async visit(path) {
      await page.goto(`${baseUrl}/console${path}`);
      await title(page).waitFor();
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
    async findBarriers() {
      const found: string[] = [];
      for (const viewport of [desktop, phone]) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await title(page).waitFor();
          for (const { id, targets } of await runAxe(page))
            found.push(`${colorScheme} ${viewport.width}: ${id} ${targets.join(' | ')}`);
        }
      }
      await page.setViewportSize(desktop);
      await page.emulateMedia({ colorScheme: 'light' });
      return found;
    },
    close: () => context.close(),
  };
}

const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };

/** The title of the screen that is shown. */
const title = (page: Page) => page.locator('[data-screen-title]').first();

export { launchChromium };

/** By the debugger, which the page's policy does not hold: nothing else lets a script in. */
async function runAxe(page: Page): Promise<{ id: string; targets: string[] }[]> {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Runtime.evaluate', { expression: axe });
  const { result } = await debug.send('Runtime.evaluate', {
    // What React Aria has read out points at what was there then.
    expression:
      'axe.run({ exclude: ["[data-live-announcer]"] }).then(({ violations }) => JSON.stringify(violations))',
    awaitPromise: true,
    returnByValue: true,
  });
  await debug.detach();
  const violations: Violation[] = JSON.parse(String(result.value));
  return violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target.join(' ')) }));
}

interface Violation {
  id: string;
  nodes: { target: string[] }[];
}
