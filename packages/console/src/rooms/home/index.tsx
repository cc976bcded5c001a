import { useQuery } from '@tanstack/react-query';
import { pages as allPages } from '@waybill/sdk';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import type { HomeWords } from '../../texts/en/home.ts';
import { useFormats } from '../../texts/format.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';
import { Bars } from '../../ui/bars.tsx';
import { TextLink } from '../../ui/button.tsx';
import { CheckIcon } from '../../ui/icons.tsx';
import { Badge, Card, Grid, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import style from './home.module.css';

const texts = defineTexts<HomeWords>({
  en: () => import('../../texts/en/home.ts'),
  de: () => import('../../texts/de/home.ts'),
});

const days = 30;
const lowStock = 5;
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Home() {
  const words = useTexts(texts);
  const store = useStore();
  return (
    <Screen title={store.name}>
      <FirstSteps />
      <TwoColumns
        main={store.can('orders.read') && <Sales />}
        side={
          <>
            <Attention />
            {store.can('orders.read') && <TopProducts title={words.topProducts} />}
          </>
        }
      />
    </Screen>
  );
}

/** From thirty days ago, by the day of this browser, to now. */
function range(): { from: string; to: string } {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  midnight.setDate(midnight.getDate() - (days - 1));
  // By the minute, so that two looks at once are one question.
  const to = new Date(Math.ceil(Date.now() / 60_000) * 60_000);
  return { from: midnight.toISOString(), to: to.toISOString() };
}

function Sales() {
  const words = useTexts(texts);
  const formats = useFormats();
  const store = useStore();
  const query = { ...range(), interval: 'day' as const, timeZone };
  const { data, error, refetch } = useQuery({
    queryKey: ['stores', store.id, 'orders', 'sales', query.from],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/reports/sales', {
        params: { path: { storeId: store.id }, query },
        signal,
      }),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={9} />;
  const money = (cents: number) => formats.money(cents, data.currency);
  const { sales } = data;
  const sum = (pick: (day: (typeof sales)[number]) => number) =>
    sales.reduce((total, day) => total + pick(day), 0);
  const today = data.sales.at(-1);
  const total = money(sum((day) => day.totalCents));
  return (
    <>
      <Grid min="10rem">
        <Figure title={words.salesToday} value={money(today?.totalCents ?? 0)} />
        <Figure title={words.ordersToday} value={formats.number(today?.orders ?? 0)} />
      </Grid>
      <Card title={words.last30}>
        <div className={style.totals}>
          <Figure title={words.sales} value={total} isPlain />
          <Figure title={words.orders} value={formats.number(sum((day) => day.orders))} isPlain />
          <Figure title={words.refunded} value={money(sum((day) => day.refundedCents))} isPlain />
        </div>
        <Bars
          label={words.chart(total, days)}
          bars={data.sales.map(({ start, totalCents }) => ({
            title: formats.day(start),
            value: totalCents,
            text: money(totalCents),
          }))}
        />
      </Card>
    </>
  );
}

function Figure({ title, value, isPlain = false }: { title: string; value: string; isPlain?: boolean }) {
  const figure = (
    <div className={style.figure}>
      <span>{title}</span>
      <strong>{value}</strong>
    </div>
  );
  return isPlain ? figure : <Card>{figure}</Card>;
}

function TopProducts({ title }: { title: string }) {
  const words = useTexts(texts);
  const formats = useFormats();
  const store = useStore();
  const query = { ...range(), limit: 5 };
  const { data } = useQuery({
    queryKey: ['stores', store.id, 'orders', 'top-products', query.from],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/reports/top-products', {
        params: { path: { storeId: store.id }, query },
        signal,
      }),
  });
  return (
    <Card title={title}>
      {!data && <Skeleton lines={5} />}
      {data?.products.length === 0 && <p>{words.noSales}</p>}
      <ul className={style.list}>
        {data?.products.map(({ productId, name, quantity, totalCents }) => (
          <li key={productId}>
            <TextLink href={paths.inStore(store.id, 'products', productId)}>{name}</TextLink>
            <span>
              {words.sold(formats.number(quantity))} · {formats.money(totalCents, store.currency)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** What does not go as it should, or waits for somebody. */
function Attention() {
  const words = useTexts(texts);
  const formats = useFormats();
  const store = useStore();
  const path = { storeId: store.id };
  const endpoints = useQuery({
    queryKey: ['stores', store.id, 'webhooks', 'failing'],
    enabled: store.can('webhooks.read'),
    queryFn: ({ signal }) => api.get('/api/stores/{storeId}/webhooks', { params: { path }, signal }),
  });
  const scarce = useQuery({
    queryKey: ['stores', store.id, 'products', 'scarce'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/products', {
        params: { path, query: { sort: 'stock', dir: 'asc', status: 'active', limit: 5 } },
        signal,
      }),
  });
  const apps = useQuery({
    queryKey: ['stores', store.id, 'apps', 'waiting'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/apps', { params: { path, query: { limit: 200 } }, signal }),
  });
  const items: { key: string; href: string; text: string }[] = [
    ...(endpoints.data?.webhooks ?? [])
      .filter(({ status }) => status === 'failing')
      .map(({ id, url }) => ({
        key: id,
        href: paths.inStore(store.id, 'webhooks', id),
        text: words.failingEndpoint(url),
      })),
    ...(apps.data?.apps ?? [])
      .filter(({ state, waitingVersionId }) => state === 'installed' && waitingVersionId !== null)
      .map(({ appId, appName }) => ({
        key: appId,
        href: paths.inStore(store.id, 'apps', appId),
        text: words.waitingApp(appName),
      })),
    ...(scarce.data?.products ?? [])
      .filter(({ totalStock, variants }) => variants.length > 0 && totalStock <= lowStock)
      .map(({ id, name, totalStock }) => ({
        key: id,
        href: paths.inStore(store.id, 'products', id),
        text: words.lowStock(name, formats.number(totalStock)),
      })),
  ];
  const isLoading = endpoints.isLoading || scarce.isLoading || apps.isLoading;
  return (
    <Card title={words.attention}>
      {isLoading && <Skeleton lines={3} />}
      {!isLoading && items.length === 0 && <p>{words.nothing}</p>}
      <ul className={style.list}>
        {items.map(({ key, href, text }) => (
          <li key={key}>
            <TextLink href={href}>{text}</TextLink>
          </li>
        ))}
      </ul>
    </Card>
  );
}

async function hasLivePage(storeId: string, signal: AbortSignal): Promise<boolean> {
  const read = (after: string | undefined) =>
    api.get('/api/stores/{storeId}/pages', {
      params: { path: { storeId }, query: { limit: 200, fields: 'live', ...(after && { after }) } },
      signal,
    });
  for await (const { pages } of allPages(read)) if (pages.some(({ live }) => live)) return true;
  return false;
}

/** What a new store lacks, until it lacks nothing. */
function FirstSteps() {
  const words = useTexts(texts);
  const store = useStore();
  const path = { storeId: store.id };
  const one = { limit: 1 };
  const { data } = useQuery({
    queryKey: ['stores', store.id, 'first-steps'],
    enabled: store.manages,
    queryFn: async ({ signal }) => {
      const [products, page, keys, orders] = await Promise.all([
        api.get('/api/stores/{storeId}/products', { params: { path, query: one }, signal }),
        hasLivePage(store.id, signal),
        api.get('/api/stores/{storeId}/api-keys', { params: { path, query: one }, signal }),
        api.get('/api/stores/{storeId}/orders', { params: { path, query: one }, signal }),
      ]);
      return {
        product: products.total > 0,
        page,
        key: keys.total > 0,
        order: orders.total > 0,
      };
    },
  });
  if (!data || Object.values(data).every(Boolean)) return null;
  const at = (...room: string[]) => paths.inStore(store.id, ...room);
  return (
    <Card title={words.firstSteps}>
      <p>{words.firstStepsHint}</p>
      <ol className={style.steps}>
        <Step
          isDone={data.product}
          title={words.stepProduct}
          hint={words.stepProductHint}
          href={at('products', 'new')}
        />
        <Step isDone={data.page} title={words.stepPage} hint={words.stepPageHint} href={at('pages')} />
        <Step isDone={data.key} title={words.stepKey} hint={words.stepKeyHint} href={at('api-keys')} />
        <Step
          isDone={data.order}
          title={words.stepOrder}
          hint={words.stepOrderHint}
          href={at('orders', 'new')}
        />
      </ol>
    </Card>
  );
}

function Step({
  isDone,
  title,
  hint,
  href,
}: {
  isDone: boolean;
  title: string;
  hint: ReactNode;
  href: string;
}) {
  const words = useTexts(texts);
  return (
    <li className={`${style.step} ${isDone ? style.isDone : ''}`}>
      <span className={style.mark}>{isDone && <CheckIcon />}</span>
      <span>
        {isDone ? <s>{title}</s> : <TextLink href={href}>{title}</TextLink>}
        {isDone ? <Badge tone="good">{words.done}</Badge> : <small>{hint}</small>}
      </span>
    </li>
  );
}
