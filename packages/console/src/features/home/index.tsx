import { useQuery } from '@tanstack/react-query';
import { pages as allPages } from '@waybill/sdk';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { formatDay, toPeriod } from '../../local-time.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import { ViewShop } from '../../shell/view-shop.tsx';
import { useFormats } from '../../texts/format.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';
import { Bars } from '../../ui/bars.tsx';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { AppsIcon, CardIcon, CheckIcon, HookIcon, OrderIcon, TagIcon } from '../../ui/icons.tsx';
import { Badge, Card, Progress, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import style from './home.module.css';

const texts = defineTexts({
  en: () => import('../../texts/en/home.ts'),
  de: () => import('../../texts/de/home.ts'),
});

const days = 30;
const lowStock = 5;
/** Number of days for which failed payments are shown. Older ones have mostly been retried. */
const failedDays = 7;
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Home() {
  const store = useStore();
  const words = useTexts(texts);
  const canSeeOrders = store.can('orders.read');
  return (
    <Screen title={store.name}>
      <FirstSteps />
      {canSeeOrders && <Sales />}
      <TwoColumns
        main={canSeeOrders && <RecentOrders />}
        side={
          <>
            <Attention />
            {canSeeOrders && <TopProducts title={words.topProducts} />}
          </>
        }
      />
    </Screen>
  );
}

/** Returns the range from midnight, `length` days ago in the browser's time zone, until now. */
function range(length: number): { from: string; to: string } {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  midnight.setDate(midnight.getDate() - (length - 1));
  // Rounded to the minute, so that simultaneous reads share one query.
  const to = new Date(Math.ceil(Date.now() / 60_000) * 60_000);
  return { from: midnight.toISOString(), to: to.toISOString() };
}

function Sales() {
  const words = useTexts(texts);
  const formats = useFormats();
  const store = useStore();
  const query = { ...range(2 * days), interval: 'day' as const, timeZone };
  const { data, error, refetch } = useQuery({
    queryKey: ['stores', store.id, 'orders', 'sales', query.from],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/reports/sales', {
        params: { path: { storeId: store.id }, query },
        signal,
      }),
  });
  if (error)
    return (
      <Card title={words.last30}>
        <Failure error={error} onRetry={() => void refetch()} />
      </Card>
    );
  if (!data)
    return (
      <Card title={words.last30}>
        <Skeleton lines={9} />
      </Card>
    );
  const money = (cents: number) => formats.money(cents, data.currency);
  const shown = data.sales.slice(-days);
  const sum = (some: typeof shown, pick: (day: (typeof shown)[number]) => number) =>
    some.reduce((total, day) => total + pick(day), 0);
  const [totalCents, orders] = [sum(shown, (day) => day.totalCents), sum(shown, (day) => day.orders)];
  const before = sum(data.sales.slice(0, -days), (day) => day.totalCents);
  const today = data.sales.at(-1);
  const change = before > 0 ? formats.change(totalCents / before - 1) : null;
  return (
    <Card>
      <div className={style.totals}>
        <Figure title={words.salesToday} value={money(today?.totalCents ?? 0)} />
        <Figure title={words.ordersToday} value={formats.number(today?.orders ?? 0)} />
        <Figure
          title={`${words.sales} · ${words.last30}`}
          value={money(totalCents)}
          note={change ? words.compared({ change }) : undefined}
        />
        <Figure title={`${words.orders} · ${words.last30}`} value={formats.number(orders)} />
        <Figure title={words.average} value={orders > 0 ? money(Math.round(totalCents / orders)) : '–'} />
        <Figure title={words.refunded} value={money(sum(shown, (day) => day.refundedCents))} />
      </div>
      {orders === 0 ? (
        <div className={style.nothing}>
          <strong>{words.noChart}</strong>
          <p>{words.noChartHint}</p>
        </div>
      ) : (
        <Bars
          label={words.chart({ total: money(totalCents), days })}
          bars={shown.map(({ start, totalCents }) => ({
            title: formats.day(start),
            value: totalCents,
            text: money(totalCents),
          }))}
        />
      )}
    </Card>
  );
}

const Figure = ({ title, value, note }: { title: string; value: string; note?: string | undefined }) => (
  <div className={style.figure}>
    <span>{title}</span>
    <strong>{value}</strong>
    {note && <small>{note}</small>}
  </div>
);

const fulfillmentTones = {
  unfulfilled: 'warn',
  partially_fulfilled: 'accent',
  fulfilled: 'good',
  returned: 'neutral',
} as const;

function RecentOrders() {
  const words = useTexts(texts);
  const formats = useFormats();
  const store = useStore();
  const { data, error, refetch } = useQuery({
    queryKey: ['stores', store.id, 'orders', 'recent'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders', {
        params: { path: { storeId: store.id }, query: { limit: 6 } },
        signal,
      }),
  });
  const all = paths.inStore(store.id, 'orders');
  return (
    <Card
      title={words.recentOrders}
      actions={data && data.orders.length > 0 && <TextLink href={all}>{words.allOrders}</TextLink>}
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={6} />}
      {data?.orders.length === 0 && <p className={style.muted}>{words.noOrders}</p>}
      <ul className={style.orders}>
        {data?.orders.map(
          ({ id, number, status, fulfillment, customer, totalCents, currency, createdAt }) => (
            <li key={id}>
              <span className={style.order}>
                <TextLink href={paths.inStore(store.id, 'orders', id)}>
                  {words.orderNumber({ number })}
                </TextLink>
                <small>{formats.ago(createdAt)}</small>
              </span>
              <span className={style.customer}>{customer.name || customer.email || '–'}</span>
              <Badge tone={status === 'cancelled' ? 'neutral' : fulfillmentTones[fulfillment]}>
                {status === 'cancelled' ? words.cancelled : words.fulfillments[fulfillment]}
              </Badge>
              <span className={style.amount}>{formats.money(totalCents, currency)}</span>
            </li>
          ),
        )}
      </ul>
    </Card>
  );
}

function TopProducts({ title }: { title: string }) {
  const words = useTexts(texts);
  const formats = useFormats();
  const store = useStore();
  const query = { ...range(days), limit: 5 };
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
      {data?.products.length === 0 && <p className={style.muted}>{words.noSales}</p>}
      <ul className={style.list}>
        {data?.products.map(({ productId, name, quantity, totalCents }) => (
          <li key={productId}>
            <TextLink href={paths.inStore(store.id, 'products', productId)}>{name}</TextLink>
            <span>
              {words.sold({ count: quantity })} · {formats.money(totalCents, store.currency)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Returns the date a number of days ago, in the format of list filters. */
const dayAgo = (count: number): string => formatDay(new Date(Date.now() - count * 86_400_000));

/** Returns counts of orders, returns and payments that need action, each with a link to the list. */
function useOrderTasks() {
  const words = useTexts(texts);
  const store = useStore();
  const path = { storeId: store.id };
  const { data, isLoading } = useQuery({
    queryKey: ['stores', store.id, 'orders', 'tasks'],
    enabled: store.can('orders.read'),
    queryFn: async ({ signal }) => {
      const count = (reply: { total: number }) => reply.total;
      const orders = (query: {
        status: 'open' | 'cancelled';
        payment?: 'paid' | 'authorized' | 'pending';
        fulfillment?: 'unfulfilled' | 'partially_fulfilled';
      }) =>
        api
          .get('/api/stores/{storeId}/orders', { params: { path, query: { ...query, limit: 1 } }, signal })
          .then((reply) => ({ feature: 'orders', query, count: count(reply) }));
      const returns = (query: { state: 'requested' | 'received' }) =>
        api
          .get('/api/stores/{storeId}/returns', { params: { path, query: { ...query, limit: 1 } }, signal })
          .then((reply) => ({ feature: 'returns', query, count: count(reply) }));
      const payments = (query: { status: 'failed' | 'disputed'; since?: string }) =>
        api
          .get('/api/stores/{storeId}/payments', {
            // The link holds days, as the list's filter does.
            params: { path, query: { ...query, ...toPeriod(query), limit: 1 } },
            signal,
          })
          .then((reply) => ({ feature: 'payments', query, count: count(reply) }));
      const [toFulfill, toCapture, unpaid, toFinish, returnsAsked, returnsBack, toRefund, failed, disputed] =
        await Promise.all([
          orders({ status: 'open', payment: 'paid', fulfillment: 'unfulfilled' }),
          orders({ status: 'open', payment: 'authorized', fulfillment: 'unfulfilled' }),
          orders({ status: 'open', payment: 'pending', fulfillment: 'unfulfilled' }),
          orders({ status: 'open', fulfillment: 'partially_fulfilled' }),
          returns({ state: 'requested' }),
          returns({ state: 'received' }),
          orders({ status: 'cancelled', payment: 'paid' }),
          payments({ status: 'failed', since: dayAgo(failedDays) }),
          payments({ status: 'disputed' }),
        ]);
      return {
        toFulfill,
        toCapture,
        unpaid,
        toFinish,
        returnsAsked,
        returnsBack,
        toRefund,
        failed,
        disputed,
      };
    },
  });
  const names = [
    'toFulfill',
    'toCapture',
    'unpaid',
    'toFinish',
    'returnsAsked',
    'returnsBack',
    'toRefund',
    'failed',
    'disputed',
  ] as const;
  const tasks = names.flatMap((name) => {
    const task = data?.[name];
    if (!task || task.count === 0) return [];
    const href = `${paths.inStore(store.id, task.feature)}?${new URLSearchParams(task.query as Record<string, string>)}`;
    const icon = task.feature === 'payments' ? <CardIcon /> : <OrderIcon />;
    return [{ key: name, href, text: words.tasks[name]({ count: task.count }), icon }];
  });
  return { tasks, isLoading };
}

/** Problems and tasks that need the merchant's attention. */
function Attention() {
  const words = useTexts(texts);
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
  const { tasks, isLoading: isCounting } = useOrderTasks();
  const apps = useQuery({
    queryKey: ['stores', store.id, 'apps', 'waiting'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/apps', { params: { path, query: { limit: 200 } }, signal }),
  });
  const items: { key: string; href: string; text: string; icon: ReactNode }[] = [
    ...tasks,
    ...(endpoints.data?.webhooks ?? [])
      .filter(({ status }) => status === 'failing')
      .map(({ id, url, destination }) => ({
        key: id,
        href: paths.inStore(store.id, 'webhooks', id),
        text: words.failingEndpoint({ url: url ?? destination.kind }),
        icon: <HookIcon />,
      })),
    ...(apps.data?.apps ?? [])
      .filter(({ state, waitingVersionId }) => state === 'installed' && waitingVersionId !== null)
      .map(({ appId, appName }) => ({
        key: appId,
        href: paths.inStore(store.id, 'apps', appId),
        text: words.waitingApp({ name: appName }),
        icon: <AppsIcon />,
      })),
    ...(scarce.data?.products ?? [])
      .filter(({ totalStock, variants }) => variants.length > 0 && totalStock <= lowStock)
      .map(({ id, name, totalStock }) => ({
        key: id,
        href: paths.inStore(store.id, 'products', id),
        text: totalStock > 0 ? words.lowStock({ name, stock: totalStock }) : words.soldOut({ name }),
        icon: <TagIcon />,
      })),
  ];
  const isLoading = isCounting || [endpoints, scarce, apps].some((query) => query.isLoading);
  return (
    <Card title={words.attention}>
      {isLoading && <Skeleton lines={3} />}
      {!isLoading && items.length === 0 && <p className={style.muted}>{words.nothing}</p>}
      <ul className={style.todo}>
        {items.map(({ key, href, text, icon }) => (
          <li key={key}>
            {icon}
            <TextLink href={href}>{text}</TextLink>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Whether the homepage is published, so that a link to the shop works. */
async function isHomepageLive(storeId: string, signal: AbortSignal): Promise<boolean> {
  const read = (after: string | undefined) =>
    api.get('/api/stores/{storeId}/pages', {
      params: {
        path: { storeId },
        query: { limit: 200, fields: 'live,isHomepage', ...(after && { after }) },
      },
      signal,
    });
  for await (const { pages } of allPages(read))
    if (pages.some(({ live, isHomepage }) => live && isHomepage)) return true;
  return false;
}

/** The steps from a new store to an open shop, until all are done. */
function FirstSteps() {
  const words = useTexts(texts);
  const store = useStore();
  const hiddenKey = `waybill.first-steps.${store.id}`;
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) !== null);
  const path = { storeId: store.id };
  const one = { limit: 1 };
  const { data } = useQuery({
    queryKey: ['stores', store.id, 'first-steps'],
    enabled: store.manages && !isHidden,
    queryFn: async ({ signal }) => {
      const [products, theme, page, orders] = await Promise.all([
        api.get('/api/stores/{storeId}/products', {
          params: { path, query: { ...one, status: 'active' as const } },
          signal,
        }),
        api.get('/api/stores/{storeId}/theme', { params: { path }, signal }),
        isHomepageLive(store.id, signal),
        api.get('/api/stores/{storeId}/orders', { params: { path, query: one }, signal }),
      ]);
      return {
        product: products.total > 0,
        theme: theme.publishedAt !== null,
        page,
        order: orders.total > 0,
      };
    },
  });
  const at = (...feature: string[]) => paths.inStore(store.id, ...feature);
  if (isHidden || !data) return null;
  const steps: readonly StepOf[] = [
    {
      isDone: data.product,
      title: words.stepProduct,
      hint: words.stepProductHint,
      action: words.addProduct,
      href: at('products', 'new'),
    },
    {
      isDone: data.theme,
      title: words.stepTheme,
      hint: words.stepThemeHint,
      action: words.editTheme,
      href: at('design', 'theme'),
    },
    {
      isDone: data.page,
      title: words.stepPage,
      hint: words.stepPageHint,
      action: words.openPages,
      href: at('pages'),
    },
    { isDone: data.order, title: words.stepOrder, hint: words.stepOrderHint, shop: store.url },
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <Card
      title={words.firstSteps}
      actions={
        <Button
          size="small"
          look="quiet"
          onPress={() => {
            localStorage.setItem(hiddenKey, '1');
            setHidden(true);
          }}
        >
          {words.hideSteps}
        </Button>
      }
    >
      <Progress label={words.progress({ done, all: steps.length })} value={done / steps.length} />
      <ol className={style.steps}>
        {steps.map((step) => (
          <Step key={step.title} step={step} isNext={step === next} />
        ))}
      </ol>
    </Card>
  );
}

interface StepOf {
  isDone: boolean;
  title: string;
  hint: string;
  action?: string;
  href?: string;
  /** Address of the shop, for a step that is done there. */
  shop?: string;
}

function Step({
  step: { isDone, title, hint, action, href, shop },
  isNext,
}: {
  step: StepOf;
  isNext: boolean;
}) {
  const words = useTexts(texts);
  return (
    <li className={`${style.step} ${isDone ? style.isDone : ''} ${isNext ? style.isNext : ''}`}>
      <span className={style.mark}>{isDone && <CheckIcon />}</span>
      <span className={style.stepText}>
        <strong>{title}</strong>
        {isDone ? <Badge tone="good">{words.done}</Badge> : <small>{hint}</small>}
      </span>
      {!isDone && href && (
        <LinkButton size="small" href={href} look={isNext ? 'primary' : 'secondary'}>
          {action}
        </LinkButton>
      )}
      {!isDone && shop && <ViewShop href={shop} size="small" look={isNext ? 'primary' : 'secondary'} />}
    </li>
  );
}
