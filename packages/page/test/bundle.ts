import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a module with all its imports into one script for the browser. */
export async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}
