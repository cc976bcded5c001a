import { setTimeout as sleep } from 'node:timers/promises';
import type { JSHandle, Page } from 'playwright-core';

/** A person at the console who has only a keyboard. */
export interface Keys {
  /** Presses Tab, or another key, until an element with that name has the focus. */
  to(name: string | RegExp, key?: string): Promise<void>;
  /** Moves there and presses Enter. */
  act(name: string | RegExp, key?: string): Promise<void>;
  /** Moves there and types; the existing text of a single-line field is replaced. */
  fill(name: string | RegExp, text: string): Promise<void>;
  press(...keys: string[]): Promise<void>;
  /** Moves to a row of a list: Tab moves to the list, arrows within it. */
  row(name: RegExp): Promise<void>;
  /**
   * Waits for a screen by its title, and for the focus to be in it; on a page that has just loaded, it uses the skip
   * link.
   */
  at(title: string | RegExp): Promise<void>;
}

/** The focused element; null if there is none. `isShown`: whether the focus is visible. */
interface Focus {
  name: string;
  role: string;
  isShown: boolean;
  isOnScreen: boolean;
}

// An option that a text field steps through has no focus of its own: the field refers to it.
const focus = `(() => {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return null;
  const of = (ids) => ids.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  const virtual = document.getElementById(focused.getAttribute('aria-activedescendant') ?? '');
  const at = virtual ?? focused;
  const labelled = at.getAttribute('aria-labelledby');
  const label = at.labels?.[0]?.textContent;
  const name = (labelled && of(labelled)) || at.getAttribute('aria-label') || label || at.textContent || '';
  const marks = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  };
  const around = [at, at.parentElement, at.parentElement?.parentElement, ...(at.labels ?? [])].filter(Boolean);
  const inner = at.labels?.[0] ? [...at.labels[0].querySelectorAll('*')] : [];
  const isChoice = /^(option|menuitem)/.test(at.getAttribute('role') ?? '');
  return {
    role: at.getAttribute('role') ?? '',
    name: name.replace(/\\s+/g, ' ').trim(),
    isShown:
      focused.tabIndex < 0 ||
      [...around, ...inner].some(marks) ||
      (isChoice && getComputedStyle(at).backgroundColor !== 'rgba(0, 0, 0, 0)'),
    isOnScreen: document.querySelector('[data-screen]')?.contains(focused) ?? false,
  };
})()`;

/** Returns the keyboard of a page. `complain` is called when the focus gets lost or is invisible. */
export function keysOf(page: Page, complain: (what: string) => void): Keys {
  const look = () => page.evaluate<Focus | null>(focus);
  let isFresh = false;
  page.on('domcontentloaded', () => {
    isFresh = true;
  });

  /** Waits until an element that closes or leaves has passed the focus on. */
  async function settle(before: string): Promise<void> {
    for (let tries = 0; tries < 40; tries++) {
      if (await look()) return;
      await sleep(50);
    }
    complain(`the focus is lost before ${before}`);
  }

  async function walk(key: string, what: string, isThere: (found: Focus) => boolean): Promise<void> {
    await settle(what);
    const way: string[] = [];
    while (way.length < 80) {
      const found = await look();
      if (found && isThere(found)) {
        if (!found.isShown) complain(`nobody sees that the focus is at ${found.name}`);
        return;
      }
      way.push(found?.name.slice(0, 40) ?? '(nothing)');
      await page.keyboard.press(key);
    }
    throw new Error(`${key} leads to no ${what}, but to ${[...new Set(way)].join(' · ')}`);
  }

  /**
   * Presses Enter, and waits until the focus is in the list of choices that this opens, or out of the one that it closes:
   * a key pressed before that would be lost.
   */
  async function pressEnter(): Promise<void> {
    const moving = (await page.evaluateHandle(`{
      const choices = '[role=listbox], [role=menu]';
      const pressed = document.activeElement;
      const list = pressed?.closest(choices);
      const opensList = /^(true|menu|listbox)$/.test(pressed?.getAttribute('aria-haspopup'));
      const isInList = () => document.activeElement?.closest(choices) != null;
      ({ hasMoved: () => (opensList ? isInList() : !list?.contains(document.activeElement)) });
    }`)) as JSHandle<{ hasMoved(): boolean }>;
    await page.keyboard.press('Enter');
    // On another page, the focus has moved as well.
    const isThere = () => moving.evaluate((focus) => focus.hasMoved()).catch(() => true);
    for (let tries = 0; tries < 100 && !(await isThere()); tries++) await sleep(20);
  }

  const to = (name: string | RegExp, key = 'Tab') =>
    walk(key, String(name), (found) =>
      typeof name === 'string' ? found.name === name : name.test(found.name),
    );

  return {
    to,
    async act(name, key) {
      await to(name, key);
      await pressEnter();
    },
    async fill(name, text) {
      await to(name);
      await page.keyboard.type(text);
    },
    async row(name) {
      await page.getByRole('row', { name }).first().waitFor();
      for (let lists = 0; lists < 5; lists++) {
        await walk('Tab', 'row', ({ role }) => role === 'row');
        // Below the last row there is nothing, so the focus stays.
        for (let at = await look(), last = ''; at && at.name !== last; at = await look()) {
          if (name.test(at.name)) return to(name);
          last = at.name;
          await page.keyboard.press('ArrowDown');
        }
        await page.keyboard.press('Tab');
      }
      throw new Error(`no list that Tab comes to has a row ${name}`);
    },
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
    async at(title) {
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      if (isFresh) {
        isFresh = false;
        await page.keyboard.press('Tab');
        await to('Skip to content');
        await page.keyboard.press('Enter');
        return;
      }
      for (let tries = 0; tries < 40; tries++) {
        if ((await look())?.isOnScreen) return;
        await sleep(50);
      }
      complain(`the focus is not on the screen ${title}`);
    },
  };
}
