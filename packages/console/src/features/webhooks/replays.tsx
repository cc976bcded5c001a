import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { formatLocalTime, parseLocalTime } from '../../local-time.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, CheckboxGroup } from '../../ui/choices.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Grid, Progress, Row, Skeleton, type Tone } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type EventType, type Replay, replaysKey, replaysQuery, type Webhook } from './queries.ts';
import { useWebhookTexts } from './texts.ts';
import style from './webhooks.module.css';

const tones: Readonly<Record<Replay['state'], Tone>> = {
  running: 'accent',
  done: 'good',
  cancelled: 'neutral',
};

/** The newest replays with their progress. */
export function Replays({ webhook: { id }, canWrite }: { webhook: Webhook; canWrite: boolean }) {
  const words = useWebhookTexts();
  const formats = useFormats();
  const store = useStore();
  const { data, error, refetch } = useQuery(replaysQuery(store.id, id));
  const stop = useMutation(
    (replayId: string) =>
      api.delete('/api/stores/{storeId}/webhooks/{id}/replays/{replayId}', {
        params: { path: { storeId: store.id, id, replayId } },
      }),
    { done: words.stopped, invalidates: [replaysKey(store.id, id)] },
  );
  return (
    <Card title={words.replays}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data?.length === 0 && <p>{words.noReplays}</p>}
      <ul className={style.replays}>
        {data?.map(({ id: replayId, state, sent, matched, since, until }) => {
          const progress = words.replayProgress({ sent, matched });
          return (
            <li key={replayId} className={style.replay}>
              <Row isSpread>
                <Badge tone={tones[state]}>{words.replayState[state]}</Badge>
                {state === 'running' && canWrite && (
                  <Button size="small" isPending={stop.isPending} onPress={() => stop.run(replayId)}>
                    {words.stop}
                  </Button>
                )}
              </Row>
              {state === 'running' ? (
                <Progress label={progress} value={matched === 0 ? null : sent / matched} />
              ) : (
                <span>{progress}</span>
              )}
              <small className={style.muted}>
                {words.replayRange({ since: formats.dateTime(since), until: formats.dateTime(until) })}
              </small>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

type Status = Replay['statuses'][number];
const dayMs = 86_400_000;

export function ReplayDialog({
  webhook,
  isOpen,
  onClose,
}: {
  webhook: Webhook;
  isOpen: boolean;
  onClose(): void;
}) {
  const words = useWebhookTexts();
  return (
    <Dialog title={words.replayTitle} isOpen={isOpen} onClose={onClose}>
      <ReplayForm webhook={webhook} onClose={onClose} />
    </Dialog>
  );
}

function ReplayForm({ webhook: { id, events }, onClose }: { webhook: Webhook; onClose(): void }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const store = useStore();
  const names = useEventTypeTexts().types;
  const [since, setSince] = useState(() => formatLocalTime(Date.now() - dayMs));
  const [until, setUntil] = useState('');
  const [types, setTypes] = useState<string[]>(events);
  const [statuses, setStatuses] = useState<string[]>(['dead', 'cancelled', 'never']);
  const start = useMutation(
    () =>
      api.post('/api/stores/{storeId}/webhooks/{id}/replay', {
        params: { path: { storeId: store.id, id } },
        body: {
          // The form is sent only with valid times.
          since: parseLocalTime(since) ?? since,
          ...(until && { until: parseLocalTime(until) ?? until }),
          types: types as EventType[],
          statuses: statuses as Status[],
        },
      }),
    { done: words.replayStarted, invalidates: [replaysKey(store.id, id)], onDone: onClose },
  );
  return (
    <Form mutation={start} onSubmit={() => void start.run(undefined)}>
      <p>{words.replayHint}</p>
      <Grid min="10rem">
        <TextField
          label={words.since}
          name="/since"
          type="datetime-local"
          value={since}
          onChange={setSince}
          isRequired
        />
        <TextField
          label={words.until}
          hint={words.untilHint}
          name="/until"
          type="datetime-local"
          value={until}
          onChange={setUntil}
        />
      </Grid>
      <CheckboxGroup label={words.missed} value={statuses} onChange={setStatuses}>
        {(Object.keys(words.statuses) as Status[]).map((status) => (
          <Checkbox key={status} id={status} label={words.statuses[status]} />
        ))}
      </CheckboxGroup>
      <CheckboxGroup label={words.events} value={types} onChange={setTypes}>
        {events.map((type) => (
          <Checkbox key={type} id={type} label={names[type]} />
        ))}
      </CheckboxGroup>
      <Actions>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button
          look="primary"
          type="submit"
          isPending={start.isPending}
          isDisabled={types.length === 0 || statuses.length === 0}
        >
          {words.startReplay}
        </Button>
      </Actions>
    </Form>
  );
}
