import fc from 'fast-check';

/** A list that starts empty, with its operations. Values are small numbers, so that many rows are equal. */
export interface WalkedList {
  /** Returns a page of it: the ids, and the cursor of the next page in its answer. */
  page(query: string): Promise<{ ids: string[]; nextCursor: string | null }>;
  /** Adds a row that sorts by this value, and returns its id. */
  add(value: number): Promise<string>;
  /** Removes a row; returns the others that this has moved. */
  remove?(id: string): Promise<readonly string[] | void>;
  /** Gives a row another value. */
  change?(id: string, value: number): Promise<unknown>;
}

const step = fc.record({
  kind: fc.constantFrom('add', 'remove', 'change', 'nothing'),
  which: fc.nat(),
  value: fc.nat(2),
});

/**
 * Walks through lists by cursor while rows are added, removed and changed (`decisions.md 11.3`). Every row that stayed
 * unchanged must come exactly once, in the order of the list; of the others, unchanged rows at most once.
 */
export async function checkWalks(
  open: () => Promise<WalkedList>,
  queries: readonly string[],
  numRuns = queries.length,
): Promise<void> {
  let run = 0;
  const walk = fc.record({
    values: fc.array(fc.nat(2), { minLength: 1, maxLength: 7 }),
    steps: fc.array(step, { maxLength: 12 }),
    limit: fc.integer({ min: 1, max: 3 }),
  });
  const property = fc.asyncProperty(walk, async ({ values, steps, limit }) => {
    // Every query is run, for any seed.
    await checkWalk(await open(), queries[run++ % queries.length]!, values, steps, limit);
  });
  await fc.assert(property, { numRuns, endOnFailure: true });
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function checkWalk(
  list: WalkedList,
  query: string,
  values: number[],
  steps: Step[],
  limit: number,
): Promise<void> {
  let presentIds: string[] = [];
  for (const value of values) presentIds.push(await list.add(value));
  const initialIds = new Set(presentIds);
  const changed = new Set<string>();

  async function runStep({ kind, which: index, value }: Step): Promise<void> {
    const id = presentIds[index % Math.max(presentIds.length, 1)];
    if (kind === 'add') presentIds.push(await list.add(value));
    else if (id && kind === 'remove' && list.remove) {
      for (const moved of (await list.remove(id)) ?? []) changed.add(moved);
      presentIds = presentIds.filter((other) => other !== id);
      initialIds.delete(id);
    } else if (id && kind === 'change' && list.change) {
      await list.change(id, value);
      changed.add(id);
    }
  }

  const seen: string[] = [];
  let cursor: string | null = null;
  // Two changes happen between two pages.
  const remainingSteps = [...steps];
  do {
    const { ids, nextCursor } = await list.page(
      `${query}&limit=${limit}${cursor === null ? '' : `&after=${cursor}`}`,
    );
    if (nextCursor !== null && ids.length !== limit)
      throw new Error('a page that is not the last is not full');
    seen.push(...ids);
    cursor = nextCursor;
    for (const each of remainingSteps.splice(0, 2)) await runStep(each);
  } while (cursor !== null);

  const { ids: all } = await list.page(`${query}&limit=200`);
  const isUntouched = (id: string) => initialIds.has(id) && !changed.has(id);
  expect(seen.filter(isUntouched)).toEqual(all.filter(isUntouched));
  const unchanged = seen.filter((id) => !changed.has(id));
  expect(unchanged).toEqual([...new Set(unchanged)]);
}
