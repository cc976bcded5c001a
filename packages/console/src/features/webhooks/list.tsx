import { useQuery } from '@tanstack/react-query';
import { type ListSearch, useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Badge, Empty, Screen, type Tone } from '../../ui/layout.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { DeliveryBadge } from './attempts.tsx';
import { getAddress, lastCallQuery, readWebhooks, type Webhook, webhooksKey } from './queries.ts';
import { useWebhookTexts } from './texts.ts';
import style from './webhooks.module.css';

const tones: Readonly<Record<Webhook['status'], Tone>> = {
  active: 'good',
  failing: 'bad',
  disabled: 'neutral',
};

export function StatusBadge({ status }: { status: Webhook['status'] }) {
  const words = useWebhookTexts();
  return <Badge tone={tones[status]}>{words.status[status]}</Badge>;
}

export function WebhookList() {
  const words = useWebhookTexts();
  const common = useCommon();
  const store = useStore();
  const search = useSearch<ListSearch>();
  const list = useList(webhooksKey(store.id), search, (given, signal) =>
    readWebhooks(store.id, given, signal),
  );
  const at = (id: string) => paths.inStore(store.id, 'webhooks', id);
  const create = store.can('webhooks.write') && (
    <LinkButton look="primary" href={at('new')}>
      {words.new}
    </LinkButton>
  );
  const columns: ColumnOf<Webhook>[] = [
    {
      id: 'url',
      title: words.url,
      isHeader: true,
      cell: (webhook) => (
        <span className={style.two}>
          {getAddress(webhook)}
          {webhook.description && <small>{webhook.description}</small>}
        </span>
      ),
    },
    { id: 'status', title: common.status, cell: ({ status }) => <StatusBadge status={status} /> },
    {
      id: 'events',
      title: words.events,
      isWide: true,
      cell: ({ events }) => (
        <span className={style.inOneLine}>{words.eventCount({ count: events.length })}</span>
      ),
    },
    {
      id: 'last',
      title: words.lastResult,
      isWide: true,
      cell: ({ id }) => <LastCall storeId={store.id} id={id} />,
    },
  ];
  return (
    <Screen title={words.title} actions={create}>
      <ResourceList
        label={words.title}
        list={list}
        items={list.data?.webhooks}
        columns={columns}
        getHref={({ id }) => at(id)}
        empty={
          <Empty title={words.empty} action={create || undefined}>
            {words.emptyHint}
          </Empty>
        }
        summary={words.count}
      />
    </Screen>
  );
}

function LastCall({ storeId, id }: { storeId: string; id: string }) {
  const words = useWebhookTexts();
  const formats = useFormats();
  const { data } = useQuery(lastCallQuery(storeId, id));
  if (data === undefined) return null;
  if (data === null) return <span className={style.muted}>{words.noCalls}</span>;
  return (
    <span className={style.lastCall}>
      <DeliveryBadge delivery={data} />
      <span className={style.muted}>{formats.ago(data.createdAt)}</span>
    </span>
  );
}
