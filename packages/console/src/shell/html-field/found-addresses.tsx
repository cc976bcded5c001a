import { useQuery } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import { useEffect, useEffectEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import style from '../rich-text-bar.module.css';
import { richTextTexts } from '../rich-text-texts.ts';

interface Found {
  readonly id: string;
  readonly kind: 'page' | 'product' | 'article';
  readonly text: string;
  readonly address: string;
}

const mostOfEach = 5;
/** Typing pause before a search starts, in milliseconds. */
const restMs = 200;

/**
 * Pages, products and articles whose names match the typed text, offered by address, since HTML texts can store no
 * other kind of link.
 */
export function FoundAddresses({
  typed,
  onPick,
  picksFirst,
}: {
  typed: string;
  onPick(address: string, name: string): void;
  /** Picks the first result as soon as there is one. */
  picksFirst: boolean;
}) {
  const words = useTexts(richTextTexts);
  const store = useStore();
  const [asked, setAsked] = useState(typed.trim());
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), restMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const isAddress = /^(?:[a-z][\w+.-]*:|[/#])|^[^\s@]+@[^\s@]+$/i.test(typed.trim());
  const { data = [], isFetching } = useQuery({
    queryKey: ['stores', store.id, 'link-addresses', asked],
    staleTime: 10_000,
    enabled: !isAddress,
    queryFn: ({ signal }) => find(store, asked, signal),
  });
  const first = isAddress || isFetching || asked !== typed.trim() ? undefined : data[0];
  const latestPick = useEffectEvent(onPick);
  useEffect(() => {
    if (picksFirst && first) latestPick(first.address, first.text);
  }, [picksFirst, first]);
  if (isAddress) return null;
  return (
    <ul className={style.found} aria-label={words.findLink} inert={asked !== typed.trim()}>
      {data.map(({ id, kind, text, address }) => (
        <li key={id}>
          <Button size="small" look="quiet" onPress={() => onPick(address, text)}>
            {text} <small>{words.linkKinds[kind]}</small>
          </Button>
        </li>
      ))}
      {data.length === 0 && !isFetching && <li>{words.nothingFound}</li>}
    </ul>
  );
}

async function find(
  { id: storeId, slug }: { id: string; slug: string },
  q: string,
  signal: AbortSignal,
): Promise<Found[]> {
  const path = { storeId };
  const query = { limit: mostOfEach, ...(q && { q }) };
  // A list that the role may not read fails and offers nothing.
  const [pages, products, articles] = await Promise.all([
    api
      .get('/api/stores/{storeId}/pages', { params: { path, query: { limit: 200 } }, signal })
      .then((answer) => answer.pages)
      .catch(() => []),
    api
      .get('/api/stores/{storeId}/products', { params: { path, query }, signal })
      .then((answer) => answer.products)
      .catch(() => []),
    api
      .get('/api/stores/{storeId}/articles', { params: { path, query }, signal })
      .then((answer) => answer.articles)
      .catch(() => []),
  ]);
  // Without a published page the shop's address is unknown; `/s/{slug}` redirects to it later.
  const live = pages.find(({ url }) => url !== null);
  const site = live
    ? live.url!.slice(0, live.isHomepage ? undefined : -live.slug.length).replace(/\/$/, '')
    : `${location.origin}/s/${slug}`;
  const needle = foldText(q);
  return [
    ...pages
      .filter(({ name }) => foldText(name).includes(needle))
      .slice(0, mostOfEach)
      .map((page) => ({
        id: page.id,
        kind: 'page' as const,
        text: page.name,
        address: page.url ?? `${site}/${page.isHomepage ? '' : page.slug}`,
      })),
    ...products.map((product) => ({
      id: product.id,
      kind: 'product' as const,
      text: product.name,
      address: `${site}/products/${product.slug}`,
    })),
    ...articles.map((article) => ({
      id: article.id,
      kind: 'article' as const,
      text: article.title,
      address: `${site}/blog/${article.slug}`,
    })),
  ];
}
