import type { CustomFieldEntity, Principal } from '@waybill/contracts';
import {
  createValuesReader,
  createView,
  readDefinitionsOfEach,
  type View,
  type WithFields,
} from '@waybill/custom-fields';
import type { ServiceContext } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Tables } from '../tables.ts';

type InputValues = Readonly<Record<string, unknown>> | undefined;
interface ProductBody {
  customFields?: Record<string, unknown>;
  variants?: { customFields?: Record<string, unknown> }[];
}

/** Thrown for products without custom fields in a store that requires some: nothing was written. */
export class CustomFieldsRequired extends Error {}

/** Reads and checks custom-field values for the catalog's reads and writes. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createCatalogValues({ db, batchQuery, peers }: ServiceContext<object, Tables>) {
  const readDefinitions = batchQuery(readDefinitionsOfEach);
  /** Stores that lately refused products without required fields: creates there read the definitions at once. */
  const storesWithRequired = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });
  const read = createValuesReader({
    readDefinitions,
    peers,
    knownProducts: (storeId, ids) => findKnownProducts(db, storeId, ids),
  });
  /** Checks the custom-field values in the body of a product, including those of its variants. */
  async function checkProduct<Body extends ProductBody>(
    storeId: string,
    principal: Principal,
    body: Body,
    isNew = false,
  ): Promise<WithCheckedValues<Body>> {
    const { customFields: input, variants } = body;
    const [fields, ...ofVariants] = await read(storeId, principal, [
      { entity: 'product', input, at: '/customFields', canBeNew: isNew },
      ...(variants ?? []).map((variant, i) => ({
        entity: 'variant' as const,
        input: variant.customFields as InputValues,
        at: `/variants/${i}/customFields`,
        // A variant is found by its id or SKU only when the product is changed, so it may turn out to be new.
        canBeNew: true,
      })),
    ]);
    return {
      ...body,
      fields,
      ...(variants && {
        variants: variants.map((variant, i) => ({ ...variant, fields: ofVariants[i] })),
      }),
    } as WithCheckedValues<Body>;
  }
  return {
    ofProduct: checkProduct,
    /**
     * Creates a product whose custom-field values are checked. Without any, the definitions are not read, which costs a
     * round trip: the insert itself notices required fields, and writes nothing then.
     */
    async createProduct<Body extends ProductBody, Result>(
      storeId: string,
      principal: Principal,
      body: Body,
      create: (checked: Body | WithCheckedValues<Body>) => Promise<Result>,
    ): Promise<Result> {
      if (!hasValues(body) && !storesWithRequired.has(storeId)) {
        try {
          return await create(body);
        } catch (error) {
          if (!(error instanceof CustomFieldsRequired)) throw error;
          storesWithRequired.set(storeId, true);
        }
      }
      return create(await checkProduct(storeId, principal, body, true));
    },
    /** Checks the values in the body of an existing variant. */
    async ofVariant<Body extends { customFields?: Record<string, unknown> }>(
      storeId: string,
      principal: Principal,
      body: Body,
    ): Promise<WithFields<Body>> {
      const [fields] = await read(storeId, principal, [
        { entity: 'variant', input: body.customFields, at: '/customFields', canBeNew: false },
      ]);
      return { ...body, fields: fields! };
    },
    /** Checks the values in the body of a category. */
    async ofCategory<Body extends { customFields?: Record<string, unknown> }>(
      storeId: string,
      principal: Principal,
      body: Body,
      isNew = false,
    ): Promise<WithFields<Body>> {
      const [fields] = await read(storeId, principal, [
        { entity: 'category', input: body.customFields, at: '/customFields', canBeNew: isNew },
      ]);
      return { ...body, fields: fields! };
    },
    /**
     * Returns the fields that a principal may see. Within a write, `db` is its transaction, so that it reads its own
     * changes.
     */
    createView: (
      principal: Principal,
      storeId: string,
      entity: CustomFieldEntity,
      db?: Kysely<Tables>,
    ): Promise<View> => createView(principal, entity, (entities) => readDefinitions(storeId, entities, db)),
  };
}

const hasValues = ({ customFields, variants = [] }: ProductBody): boolean =>
  customFields !== undefined || variants.some((variant) => variant.customFields !== undefined);

type WithCheckedValues<Body> = WithFields<
  Body extends { variants?: (infer Variant)[] }
    ? Omit<Body, 'variants'> & { variants?: WithFields<Variant>[] }
    : Body
>;

async function findKnownProducts(
  db: Kysely<Tables>,
  storeId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('product')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}
