import { launchChromium } from '@waybill/testing';
import type { CDPSession } from 'playwright-core';
import type { System } from './processes.ts';

const products = 520;
const turns = 10;

/**
 * How long the browser's main thread works, by Chromium's own count, from the press of "Next" below a list of 50 to the
 * next 50 as they stand there. Time on the network is in none of it.
 */
export async function benchConsole(system: System): Promise<void> {
  const { baseUrl, apiKey, merchant, storeId } = system.demo;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  for (let number = 0; number < products; number++) {
    const variants = [{ sku: `B-${number}`, priceCents: 990, stock: number }];
    const body = JSON.stringify({ name: `Tea number ${number}`, status: 'active', variants });
    const reply = await fetch(`${baseUrl}/api/v1/products`, { method: 'POST', headers, body });
    if (!reply.ok) throw new Error(await reply.text());
  }
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
    await page.goto(`${baseUrl}/console/sign-in`);
    await page.getByLabel('E-mail').fill(merchant.email);
    await page.getByLabel('Password').fill(merchant.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Navigation' }).waitFor();
    await page.goto(`${baseUrl}/console/stores/${storeId}/products`);
    await page.getByRole('button', { name: 'Next', exact: true }).waitFor();
    const debug = await page.context().newCDPSession(page);
    // The thread's own clock: what others do on this machine meanwhile counts for nothing.
    await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      await page.waitForLoadState('networkidle');
      const last = await page.getByRole('row').last().textContent();
      const before = await taskMs(debug);
      await page.getByRole('button', { name: 'Next', exact: true }).press('Enter');
      await page.getByRole('row').last().filter({ hasNotText: last! }).waitFor();
      await page.waitForLoadState('networkidle');
      spent.push((await taskMs(debug)) - before);
    }
    spent.sort((one, other) => one - other);
    const at = (share: number) => spent[Math.floor(share * (turns - 1))]!.toFixed(0);
    console.log(
      `a list of 50 → the next: ${at(0.5)} ms of main-thread time at the median, ${at(1)} at most (aim 150)`,
    );
  } finally {
    await browser.close();
  }
}

async function taskMs(debug: CDPSession): Promise<number> {
  const { metrics } = await debug.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
}
