import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A module with all that it imports, as one script for the browser. */
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
