import { useQueries } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { AddressText } from '../../shell/address.tsx';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, Facts, Notice, Progress, Screen } from '../../ui/layout.tsx';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import orderStyle from './orders.module.css';
import { type Order, orderQuery } from './queries.ts';
import { getSlipTexts } from './slip-texts.ts';
import style from './slips.module.css';
import { useOrderTexts } from './texts.ts';

/** Maximum number of orders printed at once. */
export const maxSlips = 100;

/** The packing slips of several orders as one printable document. */
export function PackingSlips() {
  const words = useAfterSaleTexts();
  const store = useStore();
  if (store.can('orders.read')) return <Slips />;
  return <NoPermission title={words.packingSlips} role={store.role} needed={store.roleFor('orders.read')} />;
}

function Slips() {
  const words = useAfterSaleTexts();
  const { title, print } = useOrderTexts();
  const common = useCommon();
  const store = useStore();
  const { ids = '' } = useSearch<{ ids?: string }>();
  const wanted = [...new Set(ids.split(',').filter(Boolean))];
  const chosen = wanted.slice(0, maxSlips);
  const found = useQueries({ queries: chosen.map((id) => orderQuery(store.id, id)) });
  const failed = found.find(({ error, data }) => error && !data);
  const there = found.filter(({ data }) => data).length;
  const isReady = there === chosen.length;
  return (
    <Screen
      title={words.packingSlips}
      subtitle={words.slipCount({ count: chosen.length })}
      back={<TextLink href={paths.inStore(store.id, 'orders')}>{common.backTo({ place: title })}</TextLink>}
      actions={
        isReady &&
        chosen.length > 0 && (
          <Button look="primary" onPress={() => window.print()}>
            {print}
          </Button>
        )
      }
    >
      {chosen.length === 0 && <Notice>{words.noSlips}</Notice>}
      {wanted.length > maxSlips && <Notice tone="warn">{words.tooManySlips({ most: maxSlips })}</Notice>}
      {failed && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
      {!isReady && !failed && <Progress label={words.readingFile} value={there / chosen.length} />}
      <div className={style.slips}>
        {isReady && found.map(({ data }) => data && <Slip key={data.order.id} order={data.order} />)}
      </div>
    </Screen>
  );
}

/** The packing slip of one order, in the customer's language. */
function Slip({ order }: { order: Order }) {
  const store = useStore();
  const { language, texts } = getSlipTexts(order.locale);
  const date = new Intl.DateTimeFormat(order.locale ?? language, { dateStyle: 'long' });
  const { customer, lineItems } = order;
  return (
    <div lang={language}>
      <Card title={`${texts.packingSlip} · ${texts.order} ${order.number}`}>
        <strong>{store.name}</strong>
        <p>
          {texts.orderDate} {date.format(new Date(order.createdAt))}
        </p>
        <Facts
          facts={[
            [
              texts.delivery,
              customer.shippingAddress ? (
                <AddressText key="address" address={customer.shippingAddress} />
              ) : (
                customer.name || customer.email
              ),
            ],
          ]}
        />
        <table className={orderStyle.lines}>
          <thead>
            <tr>
              <th scope="col">{texts.item}</th>
              <th scope="col" className={orderStyle.end}>
                {texts.quantity}
              </th>
            </tr>
          </thead>
          <tbody>
            {lineItems.map(({ variantId, name, variantName, sku, quantity }) => (
              <tr key={variantId}>
                <th scope="row">
                  {name}
                  <small>{[variantName, sku].filter(Boolean).join(' · ')}</small>
                </th>
                <td className={orderStyle.end}>{quantity}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
    </div>
  );
}
