import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@waybill/kernel';
import { ensureDemo } from '../demo.ts';
import { settings } from '../settings.ts';

/**
 * The last step of docker-compose.yml: makes the demo store through the gateway, unless WAYBILL_DEMO says off,
 * and the file without which the gateway's /healthz answers 503. `demo <address of the gateway>`.
 */
async function finish(gateway: string): Promise<void> {
  const { dataDir, demo, publicUrl } = settings.read(process.env);
  const file = join(dataDir, 'demo.json');
  if (demo) {
    if (!existsSync(file)) await ensureDemo(file, gateway);
    // Where it was made is no place that its reader knows.
    await ensureDemo(file, publicUrl ?? gateway);
  }
  await writeFile(join(dataDir, 'ready'), '');
}

runProgram(async () => {
  await finish(process.argv[2] ?? 'http://gateway:8080');
  process.exit(0);
});
