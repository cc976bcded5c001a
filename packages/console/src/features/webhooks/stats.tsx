import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useStore } from '../../api/me.ts';
import { Failure } from '../../shell/problems.tsx';
import { useFormats } from '../../texts/format.ts';
import { Bars } from '../../ui/bars.tsx';
import { Card, Skeleton } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { statsQuery, type Webhook } from './queries.ts';
import { useWebhookTexts } from './texts.ts';
import style from './webhooks.module.css';

const periods = { day: { hours: 24, step: 1 }, week: { hours: 168, step: 6 } } as const;

/** Statistics of recent calls, in total and by hour. */
export function Stats({ webhook: { id } }: { webhook: Webhook }) {
  const words = useWebhookTexts();
  const formats = useFormats();
  const store = useStore();
  const [period, setPeriod] = useState<keyof typeof periods>('day');
  const { hours, step } = periods[period];
  const { data, error, refetch } = useQuery(statsQuery(store.id, id, hours));
  const count = formats.number;
  const ms = (value: number | null) => (value === null ? '–' : words.ms({ count: count(value) }));
  return (
    <Card
      title={words.calls}
      actions={
        <Select<keyof typeof periods>
          label={words.period}
          isLabelHidden
          choices={[
            { id: 'day', text: words.lastDay },
            { id: 'week', text: words.lastWeek },
          ]}
          value={period}
          onChange={setPeriod}
        />
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && (
        <>
          <dl className={style.figures}>
            {[
              [words.delivered, count(data.delivered)],
              [words.failed, count(data.failed)],
              [words.pending, count(data.pending)],
              [words.median, ms(data.p50Ms)],
              [words.slowest, ms(data.p95Ms)],
            ].map(([term, value]) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <Bars
            label={words.chart({ delivered: count(data.delivered), failed: count(data.failed) })}
            bars={mergeBuckets(data.buckets, step).map(({ start, delivered, failed }) => ({
              title: formats.dateTime(start),
              value: delivered + failed,
              bad: failed,
              text: words.bar({ delivered: count(delivered), failed: count(failed) }),
            }))}
          />
        </>
      )}
    </Card>
  );
}

interface Bucket {
  start: string;
  delivered: number;
  failed: number;
}

/** Combines several hours into one bar, because a week of hours does not fit on a phone. */
function mergeBuckets(buckets: readonly Bucket[], step: number): Bucket[] {
  const starts = buckets.filter((_, position) => position % step === 0);
  return starts.map(({ start }, position) => {
    const within = buckets.slice(position * step, (position + 1) * step);
    return {
      start,
      delivered: within.reduce((sum, { delivered }) => sum + delivered, 0),
      failed: within.reduce((sum, { failed }) => sum + failed, 0),
    };
  });
}
