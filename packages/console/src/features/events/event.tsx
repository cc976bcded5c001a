import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Badge, Card, Facts, Screen, Skeleton, type Tone, TwoColumns } from '../../ui/layout.tsx';
import style from './events.module.css';
import { callsQuery, eventQuery } from './queries.ts';
import { useEventTexts } from './texts.ts';

const tones: Readonly<Record<string, Tone>> = { delivered: 'good', dead: 'bad', retrying: 'warn' };

/** An event as webhooks receive it, and its deliveries. */
export function EventScreen() {
  const words = useEventTexts();
  const common = useCommon();
  const formats = useFormats();
  const { types } = useEventTypeTexts();
  const store = useStore();
  const { eventId } = useParams<'eventId'>();
  const { data: event } = useSuspenseQuery(eventQuery(store.id, eventId));
  return (
    <Screen
      title={types[event.type]}
      subtitle={formats.exact(event.createdAt)}
      back={
        <TextLink href={paths.inStore(store.id, 'events')}>{common.backTo({ place: words.title })}</TextLink>
      }
    >
      <TwoColumns
        main={
          <Card title={words.data}>
            <p>{words.reducedHint}</p>
            <Code label={event.id} text={JSON.stringify(event, null, 2)} />
          </Card>
        }
        side={
          <>
            <Calls eventId={eventId} />
            <Card title={words.facts}>
              <Facts
                facts={[
                  [words.code, <code key="type">{event.type}</code>],
                  [words.when, formats.exact(event.createdAt)],
                  [words.id, <code key="id">{event.id}</code>],
                ]}
              />
            </Card>
          </>
        }
      />
    </Screen>
  );
}

function Calls({ eventId }: { eventId: string }) {
  const words = useEventTexts();
  const { deliveryStatus } = useEventTypeTexts();
  const formats = useFormats();
  const store = useStore();
  const { data, error, refetch } = useQuery(callsQuery(store.id, eventId));
  return (
    <Card title={words.endpoints}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data?.calls.length === 0 && <p>{data.webhooks === 0 ? words.noWebhooks : words.notCalled}</p>}
      <ul className={style.calls}>
        {data?.calls.map(({ id, endpointId, url, status, lastStatusCode, createdAt }) => (
          <li key={id}>
            <TextLink href={paths.inStore(store.id, 'webhooks', endpointId, 'deliveries', id)}>
              {url}
            </TextLink>
            <span>
              <Badge tone={tones[status] ?? 'neutral'}>
                {deliveryStatus[status]}
                {lastStatusCode !== null && ` · ${lastStatusCode}`}
              </Badge>{' '}
              {words.calledAt({ when: formats.ago(createdAt) })}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
