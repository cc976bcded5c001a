import type { DecodedFile, FieldColumn, Step } from '@waybill/product-files';
import { isWaybillError } from '@waybill/sdk';
import { delMany, getMany, set, setMany } from 'idb-keyval';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { ReadPage } from '../../api/reading.ts';
import { customFieldsQuery } from '../../shell/custom-fields/queries.ts';
import type { Product } from './queries.ts';

/** The state of an import, kept in the browser until it is finished, so that closing the tab loses nothing. */
export interface KeptImport extends Partial<DecodedFile> {
  fileName: string;
  text: string;
  /** Keys of the finished steps. They are not written again, even if the products were changed since. */
  done: string[];
}

/** Name of the lock held while a tab imports into a store. Two imports at once would overwrite each other. */
export const importLock = (storeId: string) => `waybill.import.${storeId}`;

/**
 * The stored import of a user in a store. Finished steps are stored separately: they change often, and the file's text
 * is long.
 */
export function keptImport(userId: string, storeId: string) {
  const key = `waybill.import.${userId}.${storeId}`;
  const doneKey = `${key}.done`;
  return {
    /** Reads an unfinished import, or null if there is none. Also reports if another tab is still working on it. */
    async read(): Promise<KeptImport | 'in another tab' | null> {
      const { held = [] } = await navigator.locks.query();
      if (held.some(({ name }) => name === importLock(storeId))) return 'in another tab';
      const [file, done = []] = await getMany([key, doneKey]);
      return file ? { ...file, done } : null;
    },
    begin: ({ done, ...file }: KeptImport) =>
      setMany([
        [key, file],
        [doneKey, done],
      ]),
    note: (done: readonly string[]) => set(doneKey, done),
    forget: () => delMany([key, doneKey]),
  };
}

/** Reads the products of the list page by page. */
export const readProducts =
  (storeId: string, filter: { q?: string; status?: string }): ReadPage<Product> =>
  async (after, signal) => {
    const query = {
      ...filter,
      limit: 200,
      fields: 'slug,name,status,tags,description,options,variants,vendor,taxCategory,seo,customFields',
      ...(after && { after }),
    } as { limit: number; status?: Product['status'] };
    const { products, ...rest } = await api.get('/api/stores/{storeId}/products', {
      params: { path: { storeId }, query },
      signal,
    });
    return { ...rest, items: products };
  };

/** Reads the columns of the store's custom fields for products and variants. */
export async function readFieldColumns(storeId: string, canRead: boolean): Promise<FieldColumn[]> {
  if (!canRead) return [];
  const [ofProducts, ofVariants] = await Promise.all(
    (['product', 'variant'] as const).map((entity) => queries.fetchQuery(customFieldsQuery(storeId, entity))),
  );
  const { listFieldColumns } = await import('@waybill/product-files');
  return listFieldColumns([...ofProducts!, ...ofVariants!]);
}

/** Maximum number of parallel writes, one product each. */
const lanes = 3;

/**
 * Writes each step as one product. Refused products are reported and skipped. If the server or network fails, it
 * throws, and a later call can continue. `signal` stops it after the current writes.
 */
export async function writeSteps(
  storeId: string,
  steps: readonly Step[],
  {
    signal,
    onDone,
    onRefused,
  }: { signal: AbortSignal; onDone(step: Step): void; onRefused(step: Step, error: unknown): void },
): Promise<void> {
  const queue = steps.values();
  let broken: unknown = null;
  async function work(): Promise<void> {
    for (const step of queue) {
      try {
        await write(storeId, step);
        onDone(step);
      } catch (error) {
        if (isRefusal(error)) onRefused(step, error);
        else broken = error;
      }
      if (broken || signal.aborted) return;
    }
  }
  await Promise.all(Array.from({ length: lanes }, work));
  if (broken) throw broken;
}

async function write(storeId: string, step: Step): Promise<unknown> {
  if (step.id === null) {
    const { createProductInput } = await import('@waybill/product-files');
    return api.post('/api/stores/{storeId}/products', {
      params: { path: { storeId } },
      body: createProductInput(step),
    });
  }
  return api.patch('/api/stores/{storeId}/products/{id}', {
    params: { path: { storeId, id: step.id } },
    body: step.body,
  });
}

/** Whether an error concerns only one product. Any other error would fail the next one, too. */
const isRefusal = (error: unknown) =>
  isWaybillError(error) && [400, 404, 409, 413, 422].includes(error.status);
