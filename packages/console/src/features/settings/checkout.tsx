import { Card } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Switch } from '../../ui/switch.tsx';
import { SettingsForm, SettingsScreen } from './settings-screen.tsx';
import { useSettingsTexts } from './texts.ts';

type CountKey = 'maxQuantity' | 'expireManualAfterDays' | 'expireUnpaidAfterMinutes' | 'returnDays';

/** What is set where a switch is turned on: what new stores have. */
const usualMinutes = 60;
const usualDays = 14;

/** How much is sold at once, and how long an order waits to be paid. */
export function CheckoutSettings() {
  const words = useSettingsTexts();
  return (
    <SettingsScreen part="checkout">
      <SettingsForm keys={['checkout']}>
        {(form, store) => {
          const checkout = form.within('checkout');
          const { value, change: set, isReadOnly } = checkout;
          /** A number of its own that no emptied field takes away. */
          const count = (key: CountKey, usual: number) => ({
            ...checkout.field(key),
            onChange: (number: number | null) => set({ [key]: number ?? usual }),
            minValue: 1,
            step: 1,
            isRequired: true,
          });
          /** A limit that is on where its number is above 0. */
          const limit = (key: CountKey, usual: number) => ({
            value: value[key] > 0,
            onChange: (isOn: boolean) => set({ [key]: isOn ? usual : 0 }),
            isReadOnly,
          });
          return (
            <>
              <Card title={words.orderLimits}>
                <NumberField
                  label={words.maxQuantity}
                  hint={words.maxQuantityHint}
                  {...count('maxQuantity', 1)}
                  maxValue={999}
                />
              </Card>
              <Card title={words.unpaidOrders}>
                <p>{words.unpaidOrdersHint}</p>
                <Switch label={words.expiresManual} {...limit('expireManualAfterDays', usualDays)} />
                {value.expireManualAfterDays > 0 && (
                  <NumberField
                    label={words.expireDays}
                    hint={words.expireHint}
                    {...count('expireManualAfterDays', usualDays)}
                    maxValue={365}
                  />
                )}
                <Switch label={words.expires} {...limit('expireUnpaidAfterMinutes', usualMinutes)} />
                {value.expireUnpaidAfterMinutes > 0 && (
                  <NumberField
                    label={words.expireMinutes}
                    hint={words.expireProviderHint}
                    {...count('expireUnpaidAfterMinutes', usualMinutes)}
                    maxValue={525_600}
                  />
                )}
              </Card>
              <Card title={words.returnsAndRefunds}>
                <p>{words.takesReturnsHint}</p>
                <Switch label={words.takesReturns} {...limit('returnDays', usualDays)} />
                {value.returnDays > 0 && (
                  <NumberField label={words.returnDays} {...count('returnDays', usualDays)} maxValue={3650} />
                )}
                <NumberField
                  label={words.refundLimit}
                  hint={words.refundLimitHint}
                  {...checkout.field('refundLimitCents')}
                  money={{ currency: store.currency, exponent: store.currencyExponent }}
                  minValue={0}
                />
              </Card>
            </>
          );
        }}
      </SettingsForm>
    </SettingsScreen>
  );
}
