/**
 * `npm run bench [api|webhooks|start|large]`: without a name all but `large` (a million products, some minutes).
 * Absolute figures are noise; what counts are the ratios of targets measured side by side in one run.
 */
import { benchApi } from './api.ts';
import { benchLarge } from './large.ts';
import { newDataDir, residentMiB, type System, startProgram, startWaybill } from './processes.ts';
import { benchWebhooks } from './webhooks.ts';

const wanted = process.argv.slice(2);
const all = wanted.length === 0;
const dataDir = await newDataDir();
const receiver = await startProgram('receiver.ts', {});
const env = { WEBHOOK_TRUSTED_TARGETS: `127.0.0.1/32:${receiver.line}` };
let system: System | undefined;
try {
  system = await startWaybill(dataDir.path, env);
  if (all || wanted.includes('start')) {
    await system.stop();
    system = await startWaybill(dataDir.path, env);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const memory = await residentMiB(system.pid);
    console.log(
      `second start ready in ${system.readyMs.toFixed(0)} ms (aim 2000), idle at ${memory.toFixed(0)} MiB (aim 250)`,
    );
  }
  if (all || wanted.includes('api')) await benchApi(system);
  if (all || wanted.includes('webhooks')) await benchWebhooks(system, `http://127.0.0.1:${receiver.line}`);
  if (wanted.includes('large')) await benchLarge(system);
} finally {
  await system?.stop();
  await receiver.stop();
  await dataDir.remove();
}
