import { useQuery, useQueryClient } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import {
  createContext,
  type KeyboardEvent,
  lazy,
  type ReactElement,
  type RefObject,
  Suspense,
  use,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Collection } from 'react-aria-components/Collection';
import { Tree, TreeItem, TreeItemContent } from 'react-aria-components/Tree';
import type { DragAndDropHooks } from 'react-aria-components/useDragAndDrop';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { newId, paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { LinkButton, TextLink } from '../../ui/button.tsx';
import { ChevronIcon, GripIcon } from '../../ui/icons.tsx';
import { Badge, Card, Empty, Row, Screen, Skeleton } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import style from './categories.module.css';
import { type Category, categoriesKey, categoriesQuery } from './queries.ts';
import { useCategoryTexts } from './texts.ts';
import {
  type Branch,
  buildBranches,
  type DropPosition,
  formatPath,
  placeAfter,
  placeOfDrop,
  type Step,
  type TreePosition,
  withMoved,
} from './tree.ts';

/** Larger trees start collapsed and render only the rows in view. */
const mostOpen = 60;

/** Loads on demand, because most stores have few categories. */
const VirtualRows = lazy(async () => ({ default: (await import('./virtual-rows.tsx')).VirtualRows }));
/** Loads after the screen, because it is as large as the rest of it. */
const Draggable = lazy(async () => ({ default: (await import('./draggable.tsx')).Draggable }));

/** The current categories, from which each row derives where it may move. */
const CategoriesNow = createContext<readonly Category[]>([]);

const steps: readonly Step[] = ['up', 'down', 'in', 'out'];
const stepOfKey: Readonly<Record<string, Step>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
};

/** The categories of the store as a tree. */
export function CategoryTree() {
  const words = useCategoryTexts();
  const store = useStore();
  if (store.can('products.read')) return <Categories />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('products.read')} />;
}

function Categories() {
  const words = useCategoryTexts();
  const store = useStore();
  const { data: categories, error, refetch } = useQuery(categoriesQuery(store.id));
  const [q, setQ] = useState('');
  const hasSome = categories !== undefined && categories.length > 0;
  const create = store.can('products.write') && (
    <LinkButton look="primary" href={paths.inStore(store.id, 'categories', newId)}>
      {words.new}
    </LinkButton>
  );
  return (
    <Screen title={words.title} subtitle={words.hint} actions={hasSome && create}>
      <Card isFlush>
        {error && !categories && <Failure error={error} onRetry={() => void refetch()} />}
        {!categories && !error && <Skeleton lines={8} />}
        {categories?.length === 0 && (
          <Empty title={words.empty} action={create}>
            {words.emptyHint}
          </Empty>
        )}
        {hasSome && (
          <>
            <div className={style.search}>
              <SearchField label={words.find} placeholder={words.find} value={q} onChange={setQ} />
            </div>
            {q.trim() === '' ? (
              <Branches categories={categories} />
            ) : (
              <FoundCategories categories={categories} q={q.trim()} />
            )}
            <p className={style.count}>{words.count({ count: categories.length })}</p>
          </>
        )}
      </Card>
    </Screen>
  );
}

/** The categories whose names contain the search text, with their paths. */
function FoundCategories({ categories, q }: { categories: readonly Category[]; q: string }) {
  const common = useCommon();
  const store = useStore();
  const byId = useMemo(() => new Map(categories.map((each) => [each.id, each])), [categories]);
  const wanted = foldText(q);
  const found = categories.filter(({ name }) => foldText(name).includes(wanted)).slice(0, 100);
  if (found.length === 0) return <Empty title={common.nothingFound}>{common.nothingFoundHint}</Empty>;
  return (
    <ul className={style.found}>
      {found.map(({ id }) => (
        <li key={id}>
          <TextLink href={paths.inStore(store.id, 'categories', id)}>{formatPath(byId, id)}</TextLink>
        </li>
      ))}
    </ul>
  );
}

function Branches({ categories }: { categories: readonly Category[] }) {
  const words = useCategoryTexts();
  const store = useStore();
  const canWrite = store.can('products.write');
  const isLarge = categories.length > mostOpen;
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(
    () => new Set(isLarge ? [] : categories.map(({ id }) => id)),
  );
  const before = useRef(new Map<string, Branch>());
  const branches = useMemo(
    () => buildBranches(categories, (id) => expanded.has(id), before.current),
    [categories, expanded],
  );
  const [deleted, setDeleted] = useState<Category | null>(null);
  const getCategoryName = (id: string) => categories.find((each) => each.id === id)?.name ?? '';
  const invalidates = [categoriesKey(store.id)];
  const tree = useRef<HTMLDivElement>(null);
  const move = useMoves(categories, tree, (id) => setExpanded((before) => new Set([...before, id])));
  const remove = useMutation(
    (id: string) =>
      api.delete('/api/stores/{storeId}/categories/{id}', { params: { path: { storeId: store.id, id } } }),
    { done: words.deleted, invalidates },
  );
  const drop = (id: string, targetId: string, position: DropPosition) =>
    void move(id, (current) => placeOfDrop(current, id, targetId, position));
  /** Alt and an arrow key move the category of the focused row. */
  function onKeyDown(event: KeyboardEvent) {
    const step = event.altKey ? stepOfKey[event.key] : undefined;
    const row = (event.target as Element).closest('[data-key]');
    if (!step || !row || !canWrite) return;
    event.preventDefault();
    event.stopPropagation();
    const id = row.getAttribute('data-key')!;
    void move(id, (current) => placeAfter(current, id, step));
  }
  const render = (branch: Branch): ReactElement => (
    <TreeItem
      id={branch.id}
      textValue={branch.category.name}
      hasChildItems={branch.children.length > 0}
      className={style.item!}
    >
      <TreeItemContent>
        <CategoryRow
          branch={branch}
          canWrite={canWrite}
          onStep={(step) => void move(branch.id, (current) => placeAfter(current, branch.id, step))}
          onDelete={() => setDeleted(branch.category)}
        />
      </TreeItemContent>
      {branch.children.length > 0 && <Collection items={branch.children}>{render}</Collection>}
    </TreeItem>
  );
  const rowsWith = (dragAndDropHooks?: DragAndDropHooks) => (
    <Tree
      aria-label={words.title}
      className={`${style.tree} ${isLarge ? style.large : ''}`}
      // React Aria does not support adding or removing these hooks later, so the tree is mounted anew.
      key={String(dragAndDropHooks !== undefined)}
      {...(dragAndDropHooks && { dragAndDropHooks })}
      items={branches}
      expandedKeys={expanded}
      onExpandedChange={(keys) => setExpanded(new Set([...keys].map(String)))}
      dependencies={[words]}
      keyboardNavigationBehavior="tab"
    >
      {render}
    </Tree>
  );
  const drawn = (dragAndDropHooks?: DragAndDropHooks) =>
    isLarge ? <VirtualRows>{rowsWith(dragAndDropHooks)}</VirtualRows> : rowsWith(dragAndDropHooks);
  return (
    <div role="presentation" ref={tree} onKeyDownCapture={onKeyDown}>
      <CategoriesNow value={categories}>
        <Suspense fallback={<Skeleton lines={8} />}>
          {canWrite ? (
            <Draggable getName={getCategoryName} onDrop={drop}>
              {drawn}
            </Draggable>
          ) : (
            drawn()
          )}
        </Suspense>
      </CategoriesNow>
      <ConfirmDialog
        title={deleted ? words.deleteTitle({ name: deleted.name }) : ''}
        confirm={words.delete}
        isOpen={deleted !== null}
        onClose={() => setDeleted(null)}
        onConfirm={() => remove.attempt(deleted!.id)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </div>
  );
}

/**
 * Returns a function that moves a category at once on the screen and then on the server. The row keeps the focus, and
 * its new parent is expanded.
 */
function useMoves(
  categories: readonly Category[],
  tree: RefObject<HTMLElement | null>,
  onExpand: (id: string) => void,
) {
  const store = useStore();
  const queries = useQueryClient();
  const { queryKey } = categoriesQuery(store.id);
  /** The latest move. Each move waits for the previous one, so that the server receives them in order. */
  const latest = useRef<Promise<unknown>>(Promise.resolve());
  const { attempt: send } = useMutation(
    ({ id, place, after }: { id: string; place: TreePosition; after: Promise<unknown> }) =>
      after.then(() =>
        api.patch('/api/stores/{storeId}/categories/{id}', {
          params: { path: { storeId: store.id, id } },
          body: { ...place },
        }),
      ),
  );
  const findRow = (id: string) =>
    tree.current?.querySelector<HTMLElement>(`[role=row][data-key="${CSS.escape(id)}"]`);
  /** Id of the row to refocus: a row loses the focus when it moves in the DOM. */
  const focused = useRef<string>(null);
  useLayoutEffect(() => {
    if (focused.current !== null) findRow(focused.current)?.focus();
    focused.current = null;
  }, [categories]);
  return async (id: string, findPlace: (current: readonly Category[]) => TreePosition | null) => {
    // An answer to an earlier read must not revert the move on the screen.
    await queries.cancelQueries({ queryKey });
    const current = queries.getQueryData(queryKey) ?? [];
    const place = findPlace(current);
    if (!place) return;
    if (findRow(id)?.contains(document.activeElement)) focused.current = id;
    // Shows the move before the server answers.
    queries.setQueryData(queryKey, withMoved(current, id, place));
    if (place.parentId !== null) onExpand(place.parentId);
    const sent = send({ id, place, after: latest.current }).catch(() => undefined);
    latest.current = sent;
    await sent;
    // If another move is under way, the server's tree would be older than the one shown.
    if (latest.current === sent) await queries.invalidateQueries({ queryKey: categoriesKey(store.id) });
  };
}

function CategoryRow({
  branch: { category },
  canWrite,
  onStep,
  onDelete,
}: {
  branch: Branch;
  canWrite: boolean;
  onStep(step: Step): void;
  onDelete(): void;
}) {
  const words = useCategoryTexts();
  const common = useCommon();
  const store = useStore();
  const categories = use(CategoriesNow);
  const at = (...path: string[]) => paths.inStore(store.id, 'categories', ...path);
  return (
    <div className={style.line}>
      <AriaButton slot="chevron" className={style.chevron!}>
        <ChevronIcon />
      </AriaButton>
      {canWrite && (
        <AriaButton slot="drag" className={style.grip!} aria-label={common.moveItem({ name: category.name })}>
          <GripIcon />
        </AriaButton>
      )}
      <span className={style.name}>
        <TextLink href={at(category.id)}>{category.name}</TextLink>
      </span>
      <span className={style.about}>
        <Row>
          {category.kind === 'rule' && <Badge tone="accent">{words.kinds.rule}</Badge>}
          <small>{words.products({ count: category.productsCount })}</small>
        </Row>
      </span>
      <span className={style.menu}>
        <ActionMenu
          label={common.actionsFor({ thing: category.name })}
          actions={[
            ...(category.productsCount > 0
              ? [
                  {
                    id: 'shop',
                    text: common.viewInShop,
                    href: `${store.url}categories/${category.slug}`,
                    isExternal: true,
                  },
                ]
              : []),
            ...(canWrite
              ? [
                  { id: 'child', text: words.newChild, href: `${at(newId)}?parent=${category.id}` },
                  ...steps.map((step) => ({
                    id: step,
                    text: words.steps[step],
                    isDisabled: placeAfter(categories, category.id, step) === null,
                    onAction: () => onStep(step),
                  })),
                  { id: 'delete', text: common.delete, isDanger: true, onAction: onDelete },
                ]
              : []),
          ]}
        />
      </span>
    </div>
  );
}
