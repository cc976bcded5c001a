import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * Chromium without the parts that only people need: tests take a tenth less CPU, but it hangs with more than one
 * window.
 */
const shell = '/usr/bin/chromium-headless-shell';
const paths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Returns a Chromium of this machine, or undefined; `CHROMIUM_PATH` names one in an unusual place. */
export function chromiumPath(): string | undefined {
  return [process.env.CHROMIUM_PATH, ...paths].find((path) => path && existsSync(path));
}

/** Whether this machine has Chromium. If not, one line names the suites that are skipped; in CI that is an error. */
export function hasChromium(suites: string): boolean {
  if (chromiumPath()) return true;
  const message = `Chromium not found: ${suites} left out`;
  if (process.env.CI === 'true') throw new Error(message);
  process.stderr.write(`${message}\n`);
  return false;
}

const silence = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-prefers-reduced-motion',
];

/**
 * Starts Chromium, headless and without network traffic of its own; close it when done. `hasWindows`: its pages open
 * others.
 */
export function launchChromium({
  args = [],
  env = {},
  hasWindows = false,
}: {
  args?: readonly string[];
  env?: Record<string, string>;
  hasWindows?: boolean;
} = {}): Promise<Browser> {
  const isShell = !hasWindows && !process.env.CHROMIUM_PATH && existsSync(shell);
  const executablePath = isShell ? shell : chromiumPath();
  if (!executablePath) throw new Error('Chromium not found');
  return chromium.launch({
    executablePath,
    args: [...silence, ...args],
    env: { ...process.env, ...env } as Record<string, string>,
    timeout: 120_000,
  });
}
