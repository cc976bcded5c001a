import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { Page } from 'playwright-core';
import { catalogueFiles, compileCatalogue } from '../catalogues.ts';

const catalogues: Plugin = {
  name: 'catalogues',
  setup(build) {
    build.onLoad({ filter: catalogueFiles }, async ({ path }) => ({
      contents: await compileCatalogue(path),
    }));
  },
};

/** Opens a page on its own origin and runs a module in it, which it bundles from its file. */
export async function openModule(page: Page, module: URL): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(module)],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    loader: { '.css': 'local-css' },
    plugins: [catalogues],
    outdir: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  // The texts read the chosen language from `localStorage`, which needs an origin.
  await page.route('http://console.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title></title>' }),
  );
  await page.goto('http://console.test/');
  await page.addScriptTag({ content: outputFiles.find(({ path }) => path.endsWith('.js'))!.text });
}
