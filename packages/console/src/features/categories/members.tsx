import { useInfiniteQuery } from '@tanstack/react-query';
import { pages as allPages } from '@waybill/sdk';
import { lazy, Suspense, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, IconButton, TextLink } from '../../ui/button.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Badge, Card, Row, Skeleton, Stack } from '../../ui/layout.tsx';
import { ActionMenu } from '../../ui/overlays.tsx';
import { Reorder } from '../../ui/reorder-list.tsx';
import style from './categories.module.css';
import { type Category, categoriesKey, type Product } from './queries.ts';
import { useCategoryTexts } from './texts.ts';
import { Thumb } from './thumb.tsx';

/** Loads separately, because the search is as large as the list. */
const AddProduct = lazy(async () => ({ default: (await import('./add-product.tsx')).AddProduct }));

const pageSize = 50;

/** The products of a category, either hand-picked and ordered or found by its rule. Each change is saved at once. */
export function Members({ category, canWrite }: { category: Category; canWrite: boolean }) {
  const words = useCategoryTexts();
  const common = useCommon();
  const members = useMembers(category);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage, shown, moveTo } = members;
  const total = data?.pages[0]?.total ?? 0;
  const isManual = category.kind === 'manual';
  const isOrdered = isManual && category.sort.by === 'manual';
  const canOrder = canWrite && isOrdered;

  return (
    <Card title={words.members}>
      <Stack>
        <p className={style.hint}>
          {isManual ? (isOrdered ? words.membersHint : words.membersSorted) : words.membersOfRule}
        </p>
        {canWrite && isManual && (
          <Suspense>
            <AddProduct known={shown} onAdd={members.add} />
          </Suspense>
        )}
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={3} />}
        {data && total === 0 && <p className={style.hint}>{words.noMembers}</p>}
        {shown.length > 0 && (
          <Reorder
            label={words.members}
            items={shown}
            getName={({ name }) => name}
            onMove={canOrder ? moveTo : undefined}
          >
            {(product, position) => (
              <Member
                product={product}
                position={position}
                count={shown.length}
                onMove={canOrder ? (to) => moveTo(product.id, to) : undefined}
                onRemove={canWrite && isManual ? () => members.remove(product.id) : undefined}
              />
            )}
          </Reorder>
        )}
        {data && total > 0 && (
          <Row isSpread>
            <small className={style.hint}>{common.of({ shown: shown.length, total })}</small>
            {hasNextPage && (
              <Button size="small" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
                {words.showMore}
              </Button>
            )}
          </Row>
        )}
      </Stack>
    </Card>
  );
}

interface CategoryPath {
  storeId: string;
  id: string;
}

const readMembers = (path: CategoryPath, after: string | undefined, limit: number, signal?: AbortSignal) =>
  api.get('/api/stores/{storeId}/categories/{id}/products', {
    params: { path, query: { limit, ...(after && { after }) } },
    ...(signal && { signal }),
  });

/** Saves the order of a category's products after one of them has been moved. */
async function saveMove(
  path: CategoryPath,
  dir: Category['sort']['dir'],
  { id, position }: { id: string; position: number },
): Promise<void> {
  const ids: string[] = [];
  // An order must be sent in full, and it must contain what was added meanwhile.
  for await (const { products } of allPages((after) => readMembers(path, after, 200)))
    ids.push(...products.map((each) => each.id));
  if (!ids.includes(id)) return;
  const all = ids.filter((each) => each !== id).toSpliced(position, 0, id);
  await api.put('/api/stores/{storeId}/categories/{id}/products', {
    params: { path },
    body: { productIds: dir === 'desc' ? all.toReversed() : all },
  });
}

/** Reads the products of a category page by page, and changes them one change after the other. */
function useMembers(category: Category) {
  const store = useStore();
  const path = { storeId: store.id, id: category.id };
  const key = [...categoriesKey(store.id), category.id, 'products'];
  const [moved, setMoved] = useState<readonly Product[] | null>(null);
  /** The latest change. Each change waits for the previous one. */
  const latest = useRef<Promise<unknown>>(Promise.resolve());
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...key, category.sort],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readMembers(path, pageParam, pageSize, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const loaded = data?.pages.flatMap(({ products }) => products) ?? [];
  const shown = moved ?? loaded;
  const invalidates = [categoriesKey(store.id), ['stores', store.id, 'products']];

  const change = useMutation(
    (body: { add?: string[]; remove?: string[] }) =>
      api.post('/api/stores/{storeId}/categories/{id}/products', { params: { path }, body }),
    { invalidates },
  );
  const order = useMutation(
    (move: { id: string; position: number }) => saveMove(path, category.sort.dir, move),
    { invalidates },
  );
  /** Runs a change after the others, because an order that is sent in full would undo a simultaneous change. */
  function runInTurn(run: () => Promise<unknown>) {
    const turn = latest.current.then(run).then(() => {
      if (latest.current === turn) setMoved(null);
    });
    latest.current = turn;
  }
  function moveTo(id: string, position: number) {
    const product = shown.find((each) => each.id === id)!;
    setMoved(shown.filter((each) => each !== product).toSpliced(position, 0, product));
    runInTurn(() => order.run({ id, position }));
  }
  return {
    data,
    error,
    refetch,
    hasNextPage,
    fetchNextPage,
    isFetchingNextPage,
    shown,
    moveTo,
    add: (id: string) => runInTurn(() => change.run({ add: [id] })),
    remove: (id: string) => runInTurn(() => change.run({ remove: [id] })),
  };
}

function Member({
  product,
  position,
  count,
  onMove,
  onRemove,
}: {
  product: Product;
  position: number;
  /** Number of products in the list. */
  count: number;
  /** Missing: the products have no order of their own. */
  onMove: ((position: number) => void) | undefined;
  onRemove: (() => void) | undefined;
}) {
  const words = useCategoryTexts();
  const common = useCommon();
  const store = useStore();
  return (
    <div className={style.product}>
      <Thumb id={product.mediaIds[0]} />
      <TextLink href={paths.inStore(store.id, 'products', product.id)}>{product.name}</TextLink>
      {product.status !== 'active' && <Badge>{words.status[product.status]}</Badge>}
      {onMove && (
        <ActionMenu
          label={common.actionsFor({ thing: product.name })}
          actions={[
            {
              id: 'first',
              text: words.toFront,
              isDisabled: position === 0,
              onAction: () => onMove(0),
            },
            {
              id: 'up',
              text: words.steps.up,
              isDisabled: position === 0,
              onAction: () => onMove(position - 1),
            },
            {
              id: 'down',
              text: words.steps.down,
              isDisabled: position === count - 1,
              onAction: () => onMove(position + 1),
            },
          ]}
        />
      )}
      {onRemove && (
        <IconButton label={words.removeMember({ name: product.name })} onPress={onRemove}>
          <CrossIcon />
        </IconButton>
      )}
    </div>
  );
}
