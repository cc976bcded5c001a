import { setTimeout as sleep } from 'node:timers/promises';
import { errors, newId, type Principal, ProductDeleted } from '@waybill/contracts';
import { type Kysely, sql } from 'kysely';
import Type from 'typebox';
import {
  aggregate,
  claimNewEvents,
  defineConfig,
  defineRoutes,
  defineService,
  type Handlers,
  listSchema,
  type ServiceContext,
  violatedConstraint,
  type WriteContext,
} from '../src/index.ts';

interface Tables {
  thing: { store_id: string; id: string; name: string; looks: number };
}
type Context = ServiceContext<unknown, Tables>;

const Thing = Type.Object(
  { id: Type.String(), name: Type.String(), looks: Type.Integer() },
  { $id: 'Thing' },
);
const Item = Type.Object({ thing: Thing });
const Input = Type.Object({ name: Type.String({ minLength: 1 }) });
const scope = { scope: 'products.write' } as const;

const routes = defineRoutes({
  listThings: {
    method: 'GET',
    path: '/api/v1/things',
    access: scope,
    summary: 'List',
    answer: [200, listSchema('things', Thing)],
  },
  createThing: {
    method: 'POST',
    path: '/api/v1/things',
    access: scope,
    summary: 'Create',
    body: Input,
    answer: [201, Type.Object({ thing: Thing, secret: Type.String() })],
  },
  gatherThing: {
    method: 'POST',
    path: '/api/v1/gathered-things',
    access: scope,
    summary: 'Create with others',
    body: Input,
    idempotency: 'handler',
    answer: [201, Item],
  },
  getThing: {
    method: 'GET',
    path: '/api/v1/things/{id}',
    access: scope,
    summary: 'Read',
    answer: [200, Item],
    computed: ['thing.looks'],
  },
  replaceThing: {
    method: 'PUT',
    path: '/api/v1/things/{id}',
    access: scope,
    summary: 'Replace',
    body: Input,
    answer: [200, Item],
  },
  deleteThing: {
    method: 'DELETE',
    path: '/api/v1/things/{id}',
    access: scope,
    summary: 'Delete',
    answer: [204, null],
  },
  lookAtThing: {
    method: 'POST',
    path: '/api/v1/things/{id}/look',
    access: scope,
    summary: 'Count a look',
    answer: [200, Item],
  },
  getName: {
    method: 'GET',
    path: '/api/v1/things/{id}/name',
    access: scope,
    summary: 'Read its name',
    answer: [200, Type.Object({ name: Type.String() })],
  },
  forget: {
    method: 'DELETE',
    path: '/api/v1/forgettable/{name}',
    access: scope,
    summary: 'Delete what nothing reads by itself',
    answer: [204, null],
  },
});

/** Routes that change things under a lock. */
const aliasRoutes = defineRoutes({
  renameThing: {
    method: 'PATCH',
    path: '/api/v1/things/{id}/alias',
    access: scope,
    summary: 'Rename, answered with less than its GET says',
    body: Input,
    answer: [200, Type.Object({ thing: Type.Object({ id: Type.String() }) })],
  },
});

/** Hooks that the service runs in the middle of a replacement, once. */
export const hooks: {
  beforeWrite: (() => Promise<unknown>) | null;
  /** The guard of requests for a thing that is written together with others. */
  guard: (() => Promise<unknown>) | null;
} = { beforeWrite: null, guard: null };
/** Number of requests for a thing that is written together with others, and of things in each transaction. */
export const gathering = { requests: 0, batches: [] as number[] };
/** The names that things were to get under a lock, one for each attempt. */
export const renamed: string[] = [];
/** The names in the events. */
export const heard: string[] = [];
/** Values of a thing's store, in the order of their epochs. */
export const epochs: string[] = [];

async function findIn(db: Kysely<Tables>, storeId: string, id: string) {
  const row = await db
    .selectFrom('thing')
    .select(['id', 'name', 'looks'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw errors.not_found();
  return row;
}

function accessTo({ trx, emit, afterCommit }: WriteContext<Tables>, { cache }: Context) {
  const find = (storeId: string, id: string) => findIn(trx, storeId, id);
  async function rename(storeId: string, id: string, name: string) {
    try {
      await trx
        .updateTable('thing')
        .set({ name })
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute();
    } catch (error) {
      throw violatedConstraint(error) ? errors.duplicate_slug() : error;
    }
    await emit(ProductDeleted, storeId, { product: { id, number: 1, slug: name } });
    afterCommit(() => cache.bumpEpoch(storeId));
    return find(storeId, id);
  }
  return { find, rename };
}

/** A service with one kind of thing, whose rules know nothing of conditions and keys. */
export const things = defineService<unknown, Tables>({
  name: 'things',
  config: defineConfig(Type.Object({})),
  migrations: new URL('./fixture-writes/', import.meta.url),
  aggregates: [
    aggregate(routes, (context: Context): Handlers<typeof routes, Tables> => {
      const { db, groupCommit } = context;
      const gather = groupCommit({
        // Names that begin with "none" are not written.
        async write(trx, storeId, all: readonly { id: string; name: string }[]) {
          const values = all
            .filter(({ name }) => !name.startsWith('none'))
            .map((thing) => ({ store_id: storeId, looks: 0, ...thing }));
          if (values.length > 0) await trx.insertInto('thing').values(values).execute();
          gathering.batches.push(all.length);
          if (all.some(({ name }) => name.startsWith('late'))) await hooks.beforeWrite?.();
          return all.map(({ name }) => !name.startsWith('none'));
        },
        measureBytes: () => 100,
      });
      return {
        async listThings({ storeId }) {
          const rows = await db
            .selectFrom('thing')
            .select(['id', 'name', 'looks'])
            .where('store_id', '=', storeId)
            .orderBy('id')
            .execute();
          return { things: rows, total: rows.length };
        },
        createThing: {
          async write({ storeId, body: { name } }, write) {
            const { trx, emit } = write;
            const id = newId('product');
            try {
              await trx.insertInto('thing').values({ store_id: storeId, id, name, looks: 0 }).execute();
            } catch (error) {
              throw violatedConstraint(error) ? errors.duplicate_slug() : error;
            }
            await emit(ProductDeleted, storeId, { product: { id, number: 1, slug: name } });
            if (name.startsWith('slow')) await sleep(300);
            if (name.startsWith('late')) await hooks.beforeWrite?.();
            if (name.startsWith('wrong')) throw errors.invalid_price();
            return { thing: await findIn(trx, storeId, id), secret: `of ${id}` };
          },
        },
        gatherThing: {
          guard: async () => hooks.guard?.(),
          async handle({ storeId, body, idempotentWrite }) {
            await idempotentWrite.begin(body);
            const thing = { id: newId('product'), name: body.name };
            const answer = (isWritten: boolean) => {
              if (!isWritten) throw errors.invalid_price();
              return { thing: { ...thing, looks: 0 } };
            };
            gathering.requests++;
            if (hooks.beforeWrite && body.name.startsWith('refused')) {
              await hooks.beforeWrite();
              throw errors.not_found();
            }
            try {
              return await idempotentWrite.commitInGroup((scope) => gather(storeId, thing, scope), answer);
            } catch (error) {
              throw violatedConstraint(error) ? errors.duplicate_slug() : error;
            }
          },
        },
        getThing: async ({ storeId, params, db }) => ({ thing: await findIn(db, storeId, params.id) }),
        replaceThing: {
          async write({ storeId, params, body }, write) {
            const { find, rename } = accessTo(write, context);
            await find(storeId, params.id);
            const { beforeWrite } = hooks;
            hooks.beforeWrite = null;
            await beforeWrite?.();
            return { thing: await rename(storeId, params.id, body.name) };
          },
        },
        deleteThing: {
          async write({ storeId, params }, { trx }) {
            await findIn(trx, storeId, params.id);
            await trx
              .deleteFrom('thing')
              .where('store_id', '=', storeId)
              .where('id', '=', params.id)
              .execute();
          },
        },
        lookAtThing: {
          async write({ storeId, params }, { trx }) {
            await sql`update thing set looks = looks + 1 where store_id = ${storeId} and id = ${params.id}`.execute(
              trx,
            );
            return { thing: await findIn(trx, storeId, params.id) };
          },
        },
        getName: async ({ storeId, params, db }) => ({ name: (await findIn(db, storeId, params.id)).name }),
        forget: {
          async write({ storeId, params }, { trx }) {
            const { numDeletedRows } = await trx
              .deleteFrom('thing')
              .where('store_id', '=', storeId)
              .where('name', '=', params.name)
              .executeTakeFirst();
            if (numDeletedRows === 0n) throw errors.not_found();
          },
        },
      };
    }),
    aggregate(
      aliasRoutes,
      (context: Context) => ({
        renameThing: {
          async write({ storeId, params, body }, write) {
            renamed.push(body.name);
            const { find, rename } = accessTo(write, context);
            await find(storeId, params.id);
            const { id } = await rename(storeId, params.id, body.name);
            return { thing: { id } };
          },
        },
      }),
      () =>
        ({ storeId, params }, { trx }) =>
          sql`select from thing where store_id = ${storeId} and id = ${params.id} for update`.execute(trx),
    ),
  ],
  subscriptions: ({ transaction }) => [
    {
      queue: 'things.listener',
      events: [ProductDeleted],
      batch: 10,
      handle: (events) =>
        transaction(async (trx) => {
          for (const event of await claimNewEvents(trx, 'listener', events))
            heard.push(JSON.parse(event.data).product.slug);
        }),
    },
  ],
});

export const storeId = 'str_1';
export const principal: Principal = {
  kind: 'apiKey',
  storeId,
  keyId: 'key_1',
  scopes: ['products.write'],
  creatorPermissions: ['products.write'],
};
