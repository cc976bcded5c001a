import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@waybill/kernel';
import { say } from '../announce.ts';
import { ensureDemo, furnishStore } from '../demo/demo.ts';
import { settings } from '../settings.ts';

/**
 * The last step of docker-compose.yml: creates the demo store, unless WAYBILL_DEMO says off, and the file without which
 * the gateway's /healthz answers 503.
 * `demo <address of the gateway> <internal address of identity> <of orders>`.
 */
async function finish(url: string, identityUrl: string, ordersUrl: string): Promise<void> {
  const { dataDir, demo, hasShop, storesFiles, publicUrl } = settings.read(process.env);
  const serviceToken = process.env.WAYBILL_SERVICE_TOKEN ?? '';
  // The reader of the file does not know the address at which the demo is created.
  const system = { url, identityUrl, ordersUrl, serviceToken, storesFiles };
  const file = join(dataDir, 'demo.json');
  if (demo) await ensureDemo(file, system, { baseUrl: publicUrl, hasShop });
  await writeFile(join(dataDir, 'ready'), '');
  if (hasShop) await furnishStore(file, system, say);
}

runProgram(async () => {
  const [, , gateway = 'http://gateway:8080', identity = 'http://identity:9464'] = process.argv;
  await finish(gateway, identity, process.argv[4] ?? 'http://orders:9464');
  process.exit(0);
});
