import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromiumPath } from '@waybill/testing';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

/** The first run fetches it by npx into npx's own store: 176 MB that no other task needs. */
const lighthouse = 'lighthouse@13.5.0';
const rounds = 3;

const pages = {
  home: '/',
  list: '/shop',
  product: '/products/morning-breeze',
  category: '/categories/tea',
};
const presets = { phone: [], desktop: ['--preset=desktop'] };
const aims: Readonly<Record<string, number>> = {
  performance: 95,
  accessibility: 100,
  'best-practices': 95,
  seo: 100,
};

interface Report {
  categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { score: number | null; title: string; displayValue?: string }>;
}

/**
 * Runs Lighthouse on the demo shop at its own origin, for a phone and for a desktop. It reports the median of some
 * rounds, because each contains other work on the machine, and every audit that costs points.
 */
export async function benchLighthouse({ demo: { baseUrl, storeSlug } }: System): Promise<void> {
  const origin = `http://${storeSlug}.localhost:${new URL(baseUrl).port}`;
  for (const [name, path] of Object.entries(pages)) {
    for (const [preset, flags] of Object.entries(presets)) {
      const reports: Report[] = [];
      for (let round = 0; round < rounds; round++) reports.push(await look(origin + path, flags));
      const scores = Object.entries(aims).map(([category, aim]) => {
        const all = reports.map(({ categories }) => Math.round(categories[category]!.score * 100));
        return `${category} ${percentile(all, 0.5)} (${all.join(', ')}; aim ${aim})`;
      });
      console.log(`${name}, ${preset}: ${scores.join(', ')}`);
      for (const line of new Set(reports.flatMap(losses))) console.log(`  ${line}`);
    }
  }
}

async function look(url: string, flags: readonly string[]): Promise<Report> {
  const chrome = '--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-background-networking';
  const only = `--only-categories=${Object.keys(aims).join()}`;
  const args = [url, '--quiet', '--output=json', chrome, only, ...flags];
  const { stdout } = await promisify(execFile)('npx', ['--yes', '--ignore-scripts', lighthouse, ...args], {
    env: { ...process.env, CHROME_PATH: chromiumPath() },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

/** Returns the audits for which a report deducts points. */
function losses({ categories, audits }: Report): string[] {
  return Object.entries(categories).flatMap(([category, { auditRefs }]) =>
    auditRefs
      .filter(({ id, weight }) => weight > 0 && (audits[id]!.score ?? 1) < 0.9)
      .map(({ id }) => `${category}: ${audits[id]!.title}`),
  );
}
