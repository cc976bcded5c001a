import { Card } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Switch } from '../../ui/switch.tsx';
import { SettingsForm, SettingsScreen } from './settings-screen.tsx';
import { useSettingsTexts } from './texts.ts';

type CountKey = 'maxQuantity' | 'expireManualAfterDays' | 'expireUnpaidAfterMinutes' | 'returnDays';

/** Values set when a switch is turned on: the defaults of new stores. */
const usualMinutes = 60;
const usualDays = 14;

/** The limits of an order, and how long it waits for payment. */
export function CheckoutSettings() {
  const words = useSettingsTexts();
  return (
    <SettingsScreen part="checkout">
      <SettingsForm keys={['checkout']}>
        {(form, store) => {
          const checkout = form.within('checkout');
          const { value, change: set, isReadOnly } = checkout;
          /** Returns the properties of a required number, which falls back to its default when the field is emptied. */
          const count = (key: CountKey, usual: number) => ({
            ...checkout.field(key),
            onChange: (number: number | null) => set({ [key]: number ?? usual }),
            minValue: 1,
            step: 1,
            isRequired: true,
          });
          /** Returns the properties of a switch for a limit, which is on if its number is above 0. */
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
