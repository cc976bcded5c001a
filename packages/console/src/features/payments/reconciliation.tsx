import { useQuery } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { useMemo } from 'react';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, Empty, Notice, Screen, Skeleton } from '../../ui/layout.tsx';
import { type ColumnOf, Table } from '../../ui/table.tsx';
import { OrderOfPayment } from './order-of-payment.tsx';
import { type Difference, reconciliationQuery } from './queries.ts';
import { usePaymentTexts } from './texts.ts';

/** The differences between Waybill's payments and those of the providers. */
export function PaymentReconciliation() {
  const words = usePaymentTexts();
  const store = useStore();
  if (store.can('orders.read')) return <Differences />;
  return (
    <NoPermission title={words.reconciliation} role={store.role} needed={store.roleFor('orders.read')} />
  );
}

type Item = Difference & { id: string };

function Differences() {
  const words = usePaymentTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { data, error, isFetching, refetch } = useQuery(reconciliationQuery(store.id));
  const columns = useMemo<ColumnOf<Item>[]>(() => {
    const money = (cents: number) => formats.money(cents, store.currency);
    return [
      {
        id: 'order',
        title: words.order,
        isHeader: true,
        cell: ({ paymentId }) => <OrderOfPayment paymentId={paymentId} />,
      },
      { id: 'reference', title: words.reference, isWide: true, cell: ({ reference }) => reference ?? '–' },
      { id: 'here', title: words.here, isEnd: true, isWide: true, cell: ({ hereCents }) => money(hereCents) },
      {
        id: 'there',
        title: words.there,
        isEnd: true,
        isWide: true,
        cell: ({ thereCents }) => money(thereCents),
      },
      {
        id: 'difference',
        title: words.difference,
        isEnd: true,
        cell: ({ hereCents, thereCents }) => <strong>{money(thereCents - hereCents)}</strong>,
      },
    ];
  }, [words, formats, store.currency]);
  const items = (data?.differences ?? []).map((each) => ({ ...each, id: each.paymentId }));
  // The provider has never answered, which is not an error of Waybill.
  const isSilent = isWaybillError(error, 'resource_unavailable');
  return (
    <Screen
      title={words.reconciliation}
      subtitle={words.reconciliationHint}
      back={
        <TextLink href={paths.inStore(store.id, 'payments')}>
          {common.backTo({ place: words.title })}
        </TextLink>
      }
      actions={
        <Button isPending={isFetching} onPress={() => void refetch()}>
          {words.compareAgain}
        </Button>
      }
    >
      {!data && isSilent && (
        <Notice tone="warn" title={words.providerSilent}>
          {words.providerSilentHint}
        </Notice>
      )}
      {!data && error && !isSilent && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Card>
          <Skeleton lines={4} />
        </Card>
      )}
      {data && items.length > 0 && <Notice tone="warn">{words.differences({ count: items.length })}</Notice>}
      {data && (
        <Card isFlush>
          <Table
            label={words.reconciliation}
            columns={columns}
            items={items}
            empty={<Empty title={words.noDifferences}>{words.noDifferencesHint}</Empty>}
          />
        </Card>
      )}
      {data && <p>{words.checkedAt({ time: formats.dateTime(data.checkedAt) })}</p>}
    </Screen>
  );
}
