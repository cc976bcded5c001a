import { useQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { changeSearch } from '../../router/history.ts';
import { useSearch } from '../../router/router.tsx';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Empty, Facts, Skeleton, type Tone } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import style from './developer.module.css';
import { PagedTable, useAppId, useOrgId } from './parts.tsx';
import { appKey, toPageQuery } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

type Status = Model<'AppDelivery'>['status'];
const statuses: readonly Status[] = ['pending', 'retrying', 'delivered', 'dead', 'cancelled'];
const tones: Readonly<Record<Status, Tone>> = {
  pending: 'neutral',
  retrying: 'warn',
  delivered: 'good',
  dead: 'bad',
  cancelled: 'neutral',
};

/** The webhook calls to the app. */
export function Deliveries() {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const orgId = useOrgId();
  const appId = useAppId();
  const search = useSearch<{ status?: string; delivery?: string }>();
  const status = statuses.find((each) => each === search.status);
  return (
    <>
      <PagedTable
        title={words.deliveries}
        queryKey={[...appKey(orgId, appId), 'deliveries', status]}
        read={async (given, signal) => {
          const { deliveries, ...rest } = await api.get('/api/orgs/{orgId}/apps/{appId}/deliveries', {
            params: { path: { orgId, appId }, query: { ...toPageQuery(given), ...(status && { status }) } },
            signal,
          });
          return { items: deliveries, ...rest };
        }}
        onOpen={({ id }) => changeSearch({ delivery: id })}
        filters={
          <Select
            label={common.status}
            isLabelHidden
            choices={[
              { id: 'any', text: words.anyStatus },
              ...statuses.map((id) => ({ id, text: words.deliveryStatus[id] })),
            ]}
            value={status ?? 'any'}
            onChange={(next) => changeSearch({ status: next === 'any' ? undefined : next, after: undefined })}
          />
        }
        columns={[
          { id: 'event', title: words.event, cell: ({ eventType }) => <code>{eventType}</code> },
          {
            id: 'status',
            title: common.status,
            cell: (delivery) => (
              <Badge tone={tones[delivery.status]}>{words.deliveryStatus[delivery.status]}</Badge>
            ),
          },
          {
            id: 'answer',
            title: words.answer,
            isWide: true,
            cell: ({ lastStatusCode, lastError }) => lastStatusCode ?? lastError,
          },
          {
            id: 'created',
            title: common.created,
            isEnd: true,
            cell: ({ createdAt }) => formats.dateTime(createdAt),
          },
        ]}
        empty={<Empty title={words.deliveriesEmpty}>{words.deliveriesEmptyHint}</Empty>}
      />
      {search.delivery && (
        <Delivery deliveryId={search.delivery} onClose={() => changeSearch({ delivery: undefined })} />
      )}
    </>
  );
}

function Delivery({ deliveryId, onClose }: { deliveryId: string; onClose(): void }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const orgId = useOrgId();
  const appId = useAppId();
  const params = { path: { orgId, appId, deliveryId } };
  const key = [...appKey(orgId, appId), 'deliveries'];
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'one', deliveryId],
    queryFn: async ({ signal }) =>
      (await api.get('/api/orgs/{orgId}/apps/{appId}/deliveries/{deliveryId}', { params, signal })).delivery,
    // Polls while the delivery is not finished.
    refetchInterval: ({ state }) =>
      state.data?.status === 'pending' || state.data?.status === 'retrying' ? 5_000 : false,
  });
  const redeliver = useMutation(
    () => api.post('/api/orgs/{orgId}/apps/{appId}/deliveries/{deliveryId}/redeliver', { params }),
    { done: words.redelivered, invalidates: [key] },
  );
  return (
    <Dialog title={data?.eventType ?? words.deliveries} isOpen onClose={onClose} size="large">
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={6} />
      ) : (
        <>
          <Facts
            facts={[
              [
                common.status,
                <Badge key="s" tone={tones[data.status]}>
                  {words.deliveryStatus[data.status]}
                </Badge>,
              ],
              [common.created, formats.dateTime(data.createdAt)],
              [words.nextAttempt, data.nextAttemptAt && formats.dateTime(data.nextAttemptAt)],
              ['ID', <code key="id">{data.id}</code>],
            ]}
          />
          <h3>{words.attempts}</h3>
          <ol className={style.attempts}>
            {data.attempts.map((attempt) => (
              <li key={attempt.attempt}>
                <strong>{words.attemptOf({ number: attempt.attempt })}</strong>{' '}
                {formats.dateTime(attempt.startedAt)} · {words.duration({ ms: attempt.durationMs })} ·{' '}
                {attempt.statusCode ?? (attempt.error || words.noAnswer)}
                {attempt.responseBody && (
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
                  <pre className={style.body} tabIndex={0}>
                    {attempt.responseBody}
                  </pre>
                )}
              </li>
            ))}
          </ol>
          <Actions>
            <Button isPending={redeliver.isPending} onPress={() => void redeliver.run(undefined)}>
              {words.redeliver}
            </Button>
          </Actions>
        </>
      )}
    </Dialog>
  );
}
