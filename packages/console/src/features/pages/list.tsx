import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, memo, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, Empty, Screen, Skeleton } from '../../ui/layout.tsx';
import { ActionMenu } from '../../ui/overlays.tsx';
import { Reorder } from '../../ui/reorder-list.tsx';
import style from './pages.module.css';
import { type Page, pagesKey, pagesQuery } from './queries.ts';
import { State } from './state.tsx';
import { usePageTexts } from './texts.ts';

/**
 * The store's pages in their order. Navigation menus follow it, and if the homepage is deleted, the first page becomes
 * the homepage.
 */
export function PageList() {
  const words = usePageTexts();
  const store = useStore();
  if (store.can('pages.read')) return <List />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

const none: readonly Page[] = [];

/** Loads on demand, because the page starts make it larger than the list. */
const NewPageDialog = lazy(() => import('./new-page.tsx'));

function List() {
  const words = usePageTexts();
  const store = useStore();
  const { data: pages, error, refetch } = useQuery(pagesQuery(store.id));
  const [isCreating, setCreating] = useState(false);
  const [copied, setCopied] = useState<Page | null>(null);
  const canWrite = store.can('pages.write');
  const create = canWrite && (
    <Button look="primary" onPress={() => setCreating(true)}>
      {words.new}
    </Button>
  );

  return (
    <Screen title={words.title} subtitle={words.hint} actions={pages && pages.length > 0 && create}>
      <Card isFlush>
        {error && !pages && <Failure error={error} onRetry={() => void refetch()} />}
        {!pages && !error && <Skeleton lines={8} />}
        {pages?.length === 0 && (
          <Empty title={words.empty} action={create}>
            {words.emptyHint}
          </Empty>
        )}
        {pages && pages.length > 0 && <Rows pages={pages} onCopy={setCopied} />}
        {pages && pages.length > 0 && <p className={style.count}>{words.count({ count: pages.length })}</p>}
      </Card>
      {(isCreating || copied) && (
        <Suspense>
          <NewPageDialog
            pages={pages ?? none}
            original={copied}
            onClose={() => {
              setCreating(false);
              setCopied(null);
            }}
          />
        </Suspense>
      )}
    </Screen>
  );
}

/** Memoised: typing above the list must not render hundreds of rows again. */
const Rows = memo(function Rows({ pages, onCopy }: { pages: readonly Page[]; onCopy(page: Page): void }) {
  const words = usePageTexts();
  const common = useCommon();
  const store = useStore();
  const queries = useQueryClient();
  const query = pagesQuery(store.id);
  const canWrite = store.can('pages.write');
  const at = (id: string) => paths.inStore(store.id, 'pages', id);
  const move = useMutation(
    ({ id, position }: { id: string; position: number }) => {
      // Updates the order at once, so that a dropped row stays in place.
      queries.setQueryData(query.queryKey, (before) => before && moved(before, id, position));
      return api.patch('/api/stores/{storeId}/pages/{id}', {
        params: { path: { storeId: store.id, id } },
        body: { position },
      });
    },
    { invalidates: [pagesKey(store.id)] },
  );
  const moveTo = (id: string, position: number) =>
    void move
      .attempt({ id, position })
      .catch(() => void queries.invalidateQueries({ queryKey: query.queryKey }));
  return (
    <Reorder
      label={words.title}
      items={pages}
      getName={({ name }) => name}
      onMove={canWrite ? moveTo : undefined}
    >
      {(page, position) => (
        <div className={style.page}>
          <span className={style.about}>
            <span className={style.names}>
              <TextLink href={at(page.id)}>{page.name}</TextLink>
              <small>/{page.isHomepage ? '' : page.slug}</small>
            </span>
            <State page={page} />
          </span>
          <ActionMenu
            label={common.actionsFor({ thing: page.name })}
            actions={[
              { id: 'open', text: words.settings, href: at(page.id) },
              ...(page.live && page.url
                ? [{ id: 'shop', text: common.viewInShop, href: page.url, isExternal: true }]
                : []),
              { id: 'preview', text: words.preview, href: `${at(page.id)}/preview` },
              ...(canWrite
                ? [
                    {
                      id: 'up',
                      text: words.moveUp,
                      isDisabled: position === 0,
                      onAction: () => moveTo(page.id, position - 1),
                    },
                    {
                      id: 'down',
                      text: words.moveDown,
                      isDisabled: position === pages.length - 1,
                      onAction: () => moveTo(page.id, position + 1),
                    },
                    { id: 'copy', text: words.duplicate, onAction: () => onCopy(page) },
                  ]
                : []),
            ]}
          />
        </div>
      )}
    </Reorder>
  );
});

function moved(pages: readonly Page[], id: string, position: number): Page[] {
  const page = pages.find((candidate) => candidate.id === id)!;
  return pages.filter((other) => other !== page).toSpliced(position, 0, page);
}
