import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Card, Empty, Facts, Screen } from '../../ui/layout.tsx';
import { type ColumnOf, Table } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type ReportSearch, reportQuery, type Takings, useReportPeriod } from './report-queries.ts';
import { usePaymentTexts } from './texts.ts';

/** Payments received and refunded, by day and method. */
export function PaymentReport() {
  const words = usePaymentTexts();
  const store = useStore();
  if (store.can('orders.read')) return <Report />;
  return <NoPermission title={words.report} role={store.role} needed={store.roleFor('orders.read')} />;
}

type Item = Takings & { id: string };

function Report() {
  const words = usePaymentTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch<ReportSearch>();
  const { period, change } = useReportPeriod(search);
  const { data, error, isFetching, refetch } = useQuery(reportQuery(store.id, period));
  const currency = data?.currency ?? store.currency;
  const columns = useMemo<ColumnOf<Item>[]>(() => {
    const money = (cents: number) => (cents === 0 ? '–' : formats.money(cents, currency));
    return [
      { id: 'day', title: words.date, isHeader: true, cell: ({ start }) => formats.date(start) },
      { id: 'method', title: words.way, cell: ({ name }) => name ?? words.byHand },
      {
        id: 'captured',
        title: words.captured,
        isEnd: true,
        cell: ({ capturedCents }) => money(capturedCents),
      },
      {
        id: 'refunded',
        title: words.refunded,
        isEnd: true,
        isWide: true,
        cell: ({ refundedCents }) => money(refundedCents),
      },
      {
        id: 'disputed',
        title: words.disputed,
        isEnd: true,
        isWide: true,
        cell: ({ disputedCents }) => money(disputedCents),
      },
    ];
  }, [words, formats, currency]);
  const rows = period.since <= period.until ? (data?.payments ?? []) : [];
  const items = rows
    .map((row) => ({ ...row, id: `${row.start} ${row.methodId}` }))
    .sort((one, other) => Date.parse(other.start) - Date.parse(one.start));
  const sum = (pick: (row: Takings) => number) =>
    formats.money(
      rows.reduce((total, row) => total + pick(row), 0),
      currency,
    );
  return (
    <Screen
      title={words.report}
      subtitle={words.reportHint}
      back={
        <TextLink href={paths.inStore(store.id, 'payments')}>
          {common.backTo({ place: words.title })}
        </TextLink>
      }
    >
      {data && (
        <Card title={words.sums}>
          <Facts
            facts={[
              [words.captured, sum(({ capturedCents }) => capturedCents)],
              [words.refunded, sum(({ refundedCents }) => refundedCents)],
              [words.disputed, sum(({ disputedCents }) => disputedCents)],
              [words.net, sum(({ capturedCents, refundedCents }) => capturedCents - refundedCents)],
            ]}
          />
        </Card>
      )}
      <Card isFlush>
        <Filters>
          {(['since', 'until'] as const).map((end) => (
            <TextField
              key={end}
              label={words[end]}
              type="date"
              value={period[end]}
              onChange={(day) => change({ [end]: day || undefined })}
            />
          ))}
        </Filters>
        {error && !data ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Table
            label={words.report}
            columns={columns}
            items={items}
            isLoading={isFetching}
            empty={<Empty title={words.noTakings}>{words.noTakingsHint}</Empty>}
          />
        )}
      </Card>
    </Screen>
  );
}
