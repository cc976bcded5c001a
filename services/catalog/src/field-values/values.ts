import type { CustomFieldEntity, Principal } from '@waybill/contracts';
import {
  createValuesReader,
  readDefinitionsOfEach,
  type View,
  viewOf,
  type WithFields,
} from '@waybill/custom-fields';
import type { ServiceContext } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

type InputValues = Readonly<Record<string, unknown>> | undefined;
interface ProductBody {
  customFields?: Record<string, unknown>;
  variants?: { customFields?: Record<string, unknown> }[];
}

/** Reads and checks custom-field values for the catalog's reads and writes. */
export function createCatalogValues({ db, batched, peers }: ServiceContext<object, Tables>) {
  const definitionsOf = batched(readDefinitionsOfEach);
  const read = createValuesReader({
    definitionsOf,
    peers,
    knownProducts: (storeId, ids) => findKnownProducts(db, storeId, ids),
  });
  return {
    /** Checks the custom-field values in the body of a product, including those of its variants. */
    async ofProduct<Body extends ProductBody>(
      storeId: string,
      principal: Principal,
      body: Body,
      isNew = false,
    ): Promise<WithCheckedValues<Body>> {
      const { customFields: input, variants } = body;
      const [fields, ...ofVariants] = await read(storeId, principal, [
        { entity: 'product', given: input, at: '/customFields', mayBeNew: isNew },
        ...(variants ?? []).map((variant, i) => ({
          entity: 'variant' as const,
          given: variant.customFields as InputValues,
          at: `/variants/${i}/customFields`,
          // A variant is found by its id or SKU only when the product is changed, so it may turn out to be new.
          mayBeNew: true,
        })),
      ]);
      return {
        ...body,
        fields,
        ...(variants && {
          variants: variants.map((variant, i) => ({ ...variant, fields: ofVariants[i] })),
        }),
      } as WithCheckedValues<Body>;
    },
    /** Checks the values in the body of an existing variant. */
    async ofVariant<Body extends { customFields?: Record<string, unknown> }>(
      storeId: string,
      principal: Principal,
      body: Body,
    ): Promise<WithFields<Body>> {
      const [fields] = await read(storeId, principal, [
        { entity: 'variant', given: body.customFields, at: '/customFields', mayBeNew: false },
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
        { entity: 'category', given: body.customFields, at: '/customFields', mayBeNew: isNew },
      ]);
      return { ...body, fields: fields! };
    },
    /**
     * Returns the fields that a principal may see. Within a write, `db` is its transaction, so that it reads its own
     * changes.
     */
    viewOf: (
      principal: Principal,
      storeId: string,
      entity: CustomFieldEntity,
      db?: Kysely<Tables>,
    ): Promise<View> => viewOf(principal, entity, (entities) => definitionsOf(storeId, entities, db)),
  };
}

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
