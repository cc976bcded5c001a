import { writeFile } from 'node:fs/promises';
import { generateTypes } from '@waybill/sdk/generate';
import { apiDocument } from './api-document.ts';

/** Writes the types of `@waybill/sdk`: `npm run sdk:types`. */
await writeFile(
  new URL('../packages/sdk/src/api.ts', import.meta.url),
  await generateTypes(apiDocument({ isWhole: true })),
);
