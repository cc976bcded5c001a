import { useQuery } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import type { Json } from '@waybill/page';
import { useEffect, useEffectEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { SearchChoice } from '../../ui/combo-box.tsx';
import { parseHref } from '../core/link-address.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { searchLinkTargets } from './link-targets.tsx';
import style from './pickers.module.css';

interface LinkChoice {
  readonly id: string;
  readonly text: string;
  readonly detail: string;
  readonly href: Json;
}

/** Maximum number of results of each kind. */
const maxPerKind = 5;

/** Returns the possible targets: the typed address, or the store's things with that name. */
function useLinkChoices(typed: string): { choices: readonly LinkChoice[]; isLoading: boolean } {
  const { storeId, words } = usePanelWorkbench();
  const searchText = typed.trim();
  const address = parseHref(searchText);
  const { data = [], isFetching } = useQuery({
    queryKey: ['stores', storeId, 'link-choices', searchText],
    staleTime: 10_000,
    enabled: address === undefined,
    queryFn: ({ signal }) => readLinkChoices(storeId, searchText, words.linkKinds, signal),
  });
  if (address !== undefined)
    return {
      choices: [{ id: 'address', text: words.linkTo({ address: searchText }), detail: '', href: address }],
      isLoading: false,
    };
  return { choices: data, isLoading: isFetching };
}

/** One field for all links: takes an address, or finds things by name. */
export function LinkSearch({ isDisabled, onChoose }: { isDisabled: boolean; onChoose(href: Json): void }) {
  const { words } = usePanelWorkbench();
  const [q, setQ] = useState('');
  const { choices, isLoading } = useLinkChoices(q);
  return (
    <SearchChoice
      label={words.findLink}
      choices={choices}
      onSearch={setQ}
      onChoose={(id) => {
        const chosen = choices.find((choice) => choice.id === id);
        if (chosen) onChoose(chosen.href);
      }}
      empty={words.nothingFound}
      isLoading={isLoading}
      isDisabled={isDisabled}
    />
  );
}

/** The same search below the link field of the rich text bar. */
export function LinkResults({
  typed,
  onPick,
  picksFirst,
}: {
  typed: string;
  onPick(href: Json, name: string): void;
  /** Picks the first result as soon as there is one. */
  picksFirst: boolean;
}) {
  const { words } = usePanelWorkbench();
  const [searchText, setSearchText] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSearchText(typed), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const { choices, isLoading } = useLinkChoices(searchText);
  const isAddress = parseHref(typed) !== undefined;
  const first = isAddress || isLoading || searchText !== typed ? undefined : choices[0];
  const latestPick = useEffectEvent(onPick);
  useEffect(() => {
    if (picksFirst && first) latestPick(first.href, first.text);
  }, [picksFirst, first]);
  if (isAddress) return null;
  return (
    // Results of an earlier text are about to be replaced, and would take the focus with them.
    <ul className={style.found} aria-label={words.findLink} inert={searchText !== typed}>
      {choices.map(({ id, text, detail, href }) => (
        <li key={id}>
          <Button size="small" look="quiet" onPress={() => onPick(href, text)}>
            {text} <small>{detail}</small>
          </Button>
        </li>
      ))}
      {choices.length === 0 && !isLoading && <li>{words.nothingFound}</li>}
    </ul>
  );
}

async function readLinkChoices(
  storeId: string,
  q: string,
  kinds: Readonly<Record<'page' | 'product' | 'article' | 'category' | 'productCategory' | 'file', string>>,
  signal: AbortSignal,
): Promise<LinkChoice[]> {
  const findByKind = async (kind: 'page' | 'product' | 'category' | 'article') =>
    (await searchLinkTargets(storeId, kind, q, false, signal)).slice(0, maxPerKind).map(({ id, text }) => ({
      id,
      text,
      detail: kind === 'category' ? kinds.productCategory : kinds[kind],
      href: { type: kind, [`${kind}Id`]: id } as Json,
    }));
  // Kinds that the member's role may not read are not offered.
  const found = await Promise.all(
    [
      findByKind('page'),
      findByKind('product'),
      findByKind('category'),
      findByKind('article'),
      findBlogCategories(storeId, q, kinds.category, signal),
      findFiles(storeId, q, kinds.file, signal),
    ].map((request) => request.catch(() => [] as LinkChoice[])),
  );
  return found.flat();
}

/** Categories are linked by URL, because links have no kind for them. */
async function findBlogCategories(
  storeId: string,
  q: string,
  detail: string,
  signal: AbortSignal,
): Promise<LinkChoice[]> {
  const path = { storeId };
  const [{ blogCategories }, { pages }] = await Promise.all([
    api.get('/api/stores/{storeId}/blog-categories', { params: { path, query: { limit: 200 } }, signal }),
    api.get('/api/stores/{storeId}/pages', { params: { path, query: { limit: 1 } }, signal }),
  ]);
  const [page] = pages;
  if (!page?.url) return [];
  const store = page.isHomepage ? page.url : page.url.slice(0, -page.slug.length);
  const needle = foldText(q);
  return blogCategories
    .filter(({ name }) => foldText(name).includes(needle))
    .slice(0, maxPerKind)
    .map(({ id, name, slug }) => ({
      id,
      text: name,
      detail,
      href: { type: 'url', url: `${store.replace(/\/$/, '')}/blog/category/${slug}` },
    }));
}

async function findFiles(
  storeId: string,
  q: string,
  detail: string,
  signal: AbortSignal,
): Promise<LinkChoice[]> {
  if (q === '') return [];
  const { media } = await api.get('/api/stores/{storeId}/media', {
    params: { path: { storeId }, query: { q, limit: maxPerKind } },
    signal,
  });
  return media.map(({ id, name, url }) => ({ id, text: name, detail, href: { type: 'url', url } }));
}
