import {
  type AssetFacts,
  type CustomFieldEntity,
  type CustomFieldState,
  customFieldName,
  errors,
  type Principal,
  type Problem,
} from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';
import { indexDefinitions, type NamedId, noChange, parseChange, type ValuesChange } from './changes.ts';

/** The custom fields that a body gives for one item. */
export interface GivenValues {
  entity: CustomFieldEntity;
  input: Readonly<Record<string, unknown>> | undefined;
  /** JSON pointer of the custom fields in the body. */
  at: string;
  /** Whether the write may create the item, so that required values matter. */
  canBeNew: boolean;
}

export interface ValuesReaderOptions {
  /** Returns the definitions of these entities that the service knows. */
  readDefinitions(storeId: string, entities: readonly CustomFieldEntity[]): Promise<CustomFieldState[]>;
  /** Fetches the definitions from their owner, for those that the service may not know yet. */
  refresh?(storeId: string, entities: readonly CustomFieldEntity[]): Promise<CustomFieldState[] | null>;
  peers: Peers;
  /** Returns those of the given products that exist in the store. */
  knownProducts(storeId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Reads the custom fields that a write gives for one or several items. */
export type ReadValues = (
  storeId: string,
  principal: Principal | null,
  items: readonly GivenValues[],
) => Promise<ValuesChange[]>;

const maxProblems = 100;
const maxIdsPerLookup = 1_000;

/** Whether a principal may see a definition: an app sees its own and public ones, everybody else sees all. */
export const isVisibleTo = (
  principal: Principal | null,
  { appId, visibility }: Pick<CustomFieldState, 'appId' | 'visibility'>,
): boolean => principal?.kind !== 'app' || visibility === 'public' || appId === principal.appId;

/**
 * Creates the function that checks values before they are written. It queries the database only if a body has values or
 * creates something, and the owner of definitions only for a key that the service does not know.
 * @throws invalid_custom_field
 */
export function createValuesReader({
  readDefinitions,
  refresh,
  peers,
  knownProducts,
}: ValuesReaderOptions): ReadValues {
  return async (storeId, principal, items) => {
    const itemsWithValues = items.filter(
      ({ input, canBeNew }) => canBeNew || (input !== undefined && Object.keys(input).length > 0),
    );
    if (itemsWithValues.length === 0) return items.map(() => noChange);
    const entities = [...new Set(itemsWithValues.map(({ entity }) => entity))];
    let definitions = await readDefinitions(storeId, entities);
    if (refresh && hasUnknownNames(itemsWithValues, definitions))
      definitions = (await refresh(storeId, entities)) ?? definitions;
    // A field that an app cannot see is not required of it either.
    const visible = definitions.filter((definition) => isVisibleTo(principal, definition));
    const byEntity = new Map(
      entities.map((entity) => [
        entity,
        indexDefinitions(visible.filter((definition) => definition.entity === entity)),
      ]),
    );
    const noDefinitions = indexDefinitions([]);
    const parsedChanges = items.map(({ entity, input = {}, at }) =>
      parseChange(byEntity.get(entity) ?? noDefinitions, input, at),
    );
    const problems = parsedChanges.flatMap((read) => read.problems);
    problems.push(
      ...(await unknownMedia(
        peers,
        storeId,
        parsedChanges.flatMap(({ media }) => media),
      )),
    );
    const products = parsedChanges.flatMap((read) => read.products);
    if (products.length > 0) {
      const found = await knownProducts(storeId, [...new Set(products.map(({ id }) => id))]);
      problems.push(...findMissing(products, found, 'is not a product of this store'));
    }
    if (problems.length > 0) throw errors.invalid_custom_field({ details: problems.slice(0, maxProblems) });
    return parsedChanges.map(({ change }) => change);
  };
}

function hasUnknownNames(items: readonly GivenValues[], definitions: readonly CustomFieldState[]): boolean {
  const names = new Set(
    definitions.map((definition) => `${definition.entity} ${customFieldName(definition)}`),
  );
  return items.some(({ entity, input = {} }) =>
    Object.keys(input).some((name) => !names.has(`${entity} ${name}`)),
  );
}

const findMissing = (namedIds: readonly NamedId[], found: ReadonlySet<string>, message: string): Problem[] =>
  namedIds.flatMap(({ id, pointer }) => (found.has(id) ? [] : [{ pointer, message }]));

async function unknownMedia(peers: Peers, storeId: string, namedIds: readonly NamedId[]): Promise<Problem[]> {
  if (namedIds.length === 0) return [];
  const found = new Set<string>();
  const ids = [...new Set(namedIds.map(({ id }) => id))];
  for (let at = 0; at < ids.length && peers.has('media'); at += maxIdsPerLookup) {
    const answer = await peers.call<{ assets: AssetFacts[] }>('media', 'POST', '/internal/assets/lookup', {
      storeId,
      ids: ids.slice(at, at + maxIdsPerLookup),
    });
    for (const { id } of answer?.assets ?? []) found.add(id);
  }
  return findMissing(namedIds, found, 'is no media of this store');
}

/** Returns those of the given products that exist in a store, for services that have to ask catalog. */
export async function findKnownProducts(
  peers: Peers,
  storeId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = 0; at < ids.length && peers.has('catalog'); at += maxIdsPerLookup) {
    const answer = await peers.call<{ products: { id: string }[] }>(
      'catalog',
      'POST',
      '/internal/products/lookup',
      { storeId, ids: ids.slice(at, at + maxIdsPerLookup) },
    );
    for (const { id } of answer?.products ?? []) found.add(id);
  }
  return found;
}
