import type { DecodedFile, FieldColumn, Step } from '@waybill/product-files';
import { isWaybillError } from '@waybill/sdk';
import { delMany, getMany, set, setMany } from 'idb-keyval';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { ReadPage } from '../../api/reading.ts';
import { customFieldsQuery } from '../../shell/custom-fields/queries.ts';
import type { Product } from './queries.ts';

/** What is kept of an import in this browser until it is through: a tab that closes loses nothing of it. */
export interface KeptImport extends Partial<DecodedFile> {
  fileName: string;
  text: string;
  /** The keys of the steps that are through; none of it is written again, whatever is sold or changed meanwhile. */
  done: string[];
}

/** What the tab holds that imports into a store: two at once would each take the other's work for somebody else's. */
export const importLock = (storeId: string) => `waybill.import.${storeId}`;

/** Of one user in one store; what is done stands apart, as it changes all the time and the text is long. */
export function keptImport(userId: string, storeId: string) {
  const key = `waybill.import.${userId}.${storeId}`;
  const doneKey = `${key}.done`;
  return {
    /** What was left unfinished; null: nothing was. A tab that is at it has left nothing. */
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

/** The products of the list, page by page. */
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

/** The columns of the store's custom fields of products and variants. */
export async function readFieldColumns(storeId: string, canRead: boolean): Promise<FieldColumn[]> {
  if (!canRead) return [];
  const [ofProducts, ofVariants] = await Promise.all(
    (['product', 'variant'] as const).map((entity) => queries.fetchQuery(customFieldsQuery(storeId, entity))),
  );
  const { fieldColumnsOf } = await import('@waybill/product-files');
  return fieldColumnsOf([...ofProducts!, ...ofVariants!]);
}

/** How many products are written at once; each by itself, so none waits for another. */
const lanes = 3;

/**
 * Writes what the steps say, each product by itself. What is refused is told and left; when the server or the network
 * is away it throws, and the rest waits for another call. `signal` stops after what is being written.
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
    const { inputOfStep } = await import('@waybill/product-files');
    return api.post('/api/stores/{storeId}/products', {
      params: { path: { storeId } },
      body: inputOfStep(step),
    });
  }
  return api.patch('/api/stores/{storeId}/products/{id}', {
    params: { path: { storeId, id: step.id } },
    body: step.body,
  });
}

/** What is wrong with one product alone; anything else would meet the next one, too. */
const isRefusal = (error: unknown) =>
  isWaybillError(error) && [400, 404, 409, 413, 422].includes(error.status);
