import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@waybill/kernel';
import { ensureDemo } from '../demo.ts';
import { settings } from '../settings.ts';

/**
 * The last step of docker-compose.yml: makes the demo store, unless WAYBILL_DEMO says off, and the file without which
 * the gateway's /healthz answers 503. `demo <address of the gateway> <internal address of identity>`.
 */
async function finish(url: string, identityUrl: string): Promise<void> {
  const { dataDir, demo, hasShop, publicUrl } = settings.read(process.env);
  const serviceToken = process.env.WAYBILL_SERVICE_TOKEN ?? '';
  // Where it is made is no place that the file's reader knows.
  if (demo) {
    const system = { url, identityUrl, serviceToken };
    await ensureDemo(join(dataDir, 'demo.json'), system, { baseUrl: publicUrl, hasShop });
  }
  await writeFile(join(dataDir, 'ready'), '');
}

runProgram(async () => {
  await finish(process.argv[2] ?? 'http://gateway:8080', process.argv[3] ?? 'http://identity:9464');
  process.exit(0);
});
