import { readFile } from 'node:fs/promises';
import { generateTypes } from '@waybill/sdk/generate';
import { apiDocument } from '../api-document.ts';

test('the types of @waybill/sdk are those of the routes: otherwise run `npm run sdk:types`', async () => {
  const committed = await readFile(new URL('../../packages/sdk/src/api.ts', import.meta.url), 'utf8');
  expect(committed === (await generateTypes(apiDocument({ isWhole: true })))).toBe(true);
});
