import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';

/** Opens a page of an origin of its own that has a module of this folder, with all that it imports. */
export async function openModule(page: Page, file: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    loader: { '.css': 'local-css' },
    outdir: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  // Words ask the storage of their origin which language is wanted.
  await page.route('http://console.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title></title>' }),
  );
  await page.goto('http://console.test/');
  await page.addScriptTag({ content: outputFiles.find(({ path }) => path.endsWith('.js'))!.text });
}
