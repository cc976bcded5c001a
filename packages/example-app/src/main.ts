/**
 * `npm run example [-- <demo.json>]`: takes the reviews app from `POST /api/orgs` to a published page of the demo
 * store, and prints every step. Waybill must run with `WEBHOOK_TRUSTED_TARGETS=127.0.0.1/32:9401` for the app's webhook
 * receiver.
 */
import { readFile } from 'node:fs/promises';
import {
  approveVersion,
  installApp,
  listenToInstalls,
  publishPage,
  registerApp,
  signIn,
  submitVersion,
} from './life.ts';
import { startReviewsApp } from './reviews-app.ts';
import { Waybill } from './waybill.ts';

const port = 9401;
const demo = JSON.parse(await readFile(process.argv[2] ?? '.waybill/demo.json', 'utf8'));
const { baseUrl, storeId } = demo;
const log = (step: string) => console.log(step);

const app = await startReviewsApp(port);
try {
  const [developer, reviewer, merchant] = (await Promise.all(
    [demo.developer, demo.reviewer, demo.merchant].map((account) => signIn(baseUrl, account)),
  )) as [Waybill, Waybill, Waybill];
  const registered = await registerApp(baseUrl, developer, app);
  log(`registered  ${registered.appId}`);
  await listenToInstalls(developer, registered, app);
  log(`called at   ${app.webhookUrl}`);
  const versionId = await submitVersion(developer, registered);
  log(`submitted   ${versionId}`);
  await approveVersion(reviewer, versionId);
  log('approved');
  await installApp(merchant, storeId, registered, app);
  log(`installed   in ${storeId}`);
  const key = new Waybill(baseUrl, demo.apiKey);
  const { product } = await key.post<{ product: { id: string; name: string } }>('/api/v1/products', {
    name: 'Earl Grey',
    status: 'active',
    variants: [{ priceCents: 890, stock: 12 }],
  });
  for (const stars of [5, 4, 5]) await app.addReview(storeId, product.id, stars);
  log(`reviewed    ${product.name}: 5, 4 and 5 stars`);
  const { url } = await publishPage(merchant, { storeId, key, productId: product.id }, registered);
  log(`published   ${new URL(url, baseUrl).href}`);
} finally {
  await app.stop();
}
