import { Card } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Switch } from '../../ui/switch.tsx';
import type { StoreChange } from './queries.ts';
import { SettingsForm, SettingsScreen } from './settings-screen.tsx';
import { useSettingsTexts } from './texts.ts';

/** What is set where a switch is turned on: what new stores have. */
const usualMinutes = 60;
const usualDays = 14;

/** How much is sold at once, and how long an order waits to be paid. */
export function CheckoutSettings() {
  const words = useSettingsTexts();
  return (
    <SettingsScreen part="checkout">
      <SettingsForm keys={['checkout']}>
        {({ store, value: { checkout }, change, isDisabled }) => {
          const set = (changes: Partial<StoreChange['checkout']>) =>
            change({ checkout: { ...checkout, ...changes } });
          return (
            <>
              <Card title={words.orderLimits}>
                <NumberField
                  label={words.maxQuantity}
                  hint={words.maxQuantityHint}
                  name="/checkout/maxQuantity"
                  minValue={1}
                  maxValue={999}
                  step={1}
                  value={checkout.maxQuantity}
                  onChange={(maxQuantity) => set({ maxQuantity: maxQuantity ?? 1 })}
                  isRequired
                  isDisabled={isDisabled}
                />
              </Card>
              <Card title={words.unpaidOrders}>
                <p>{words.unpaidOrdersHint}</p>
                <Switch
                  label={words.expiresManual}
                  value={checkout.expireManualAfterDays > 0}
                  onChange={(isOn) => set({ expireManualAfterDays: isOn ? usualDays : 0 })}
                  isDisabled={isDisabled}
                />
                {checkout.expireManualAfterDays > 0 && (
                  <NumberField
                    label={words.expireDays}
                    hint={words.expireHint}
                    name="/checkout/expireManualAfterDays"
                    minValue={1}
                    maxValue={365}
                    step={1}
                    value={checkout.expireManualAfterDays}
                    onChange={(days) => set({ expireManualAfterDays: days ?? usualDays })}
                    isRequired
                    isDisabled={isDisabled}
                  />
                )}
                <Switch
                  label={words.expires}
                  value={checkout.expireUnpaidAfterMinutes > 0}
                  onChange={(isOn) => set({ expireUnpaidAfterMinutes: isOn ? usualMinutes : 0 })}
                  isDisabled={isDisabled}
                />
                {checkout.expireUnpaidAfterMinutes > 0 && (
                  <NumberField
                    label={words.expireMinutes}
                    hint={words.expireProviderHint}
                    name="/checkout/expireUnpaidAfterMinutes"
                    minValue={1}
                    maxValue={525_600}
                    step={1}
                    value={checkout.expireUnpaidAfterMinutes}
                    onChange={(minutes) => set({ expireUnpaidAfterMinutes: minutes ?? usualMinutes })}
                    isRequired
                    isDisabled={isDisabled}
                  />
                )}
              </Card>
              <Card title={words.returnsAndRefunds}>
                <p>{words.takesReturnsHint}</p>
                <Switch
                  label={words.takesReturns}
                  value={checkout.returnDays > 0}
                  onChange={(isOn) => set({ returnDays: isOn ? usualDays : 0 })}
                  isDisabled={isDisabled}
                />
                {checkout.returnDays > 0 && (
                  <NumberField
                    label={words.returnDays}
                    name="/checkout/returnDays"
                    minValue={1}
                    maxValue={3650}
                    step={1}
                    value={checkout.returnDays}
                    onChange={(days) => set({ returnDays: days ?? usualDays })}
                    isRequired
                    isDisabled={isDisabled}
                  />
                )}
                <NumberField
                  label={words.refundLimit}
                  hint={words.refundLimitHint}
                  name="/checkout/refundLimitCents"
                  money={{ currency: store.currency, exponent: store.currencyExponent }}
                  minValue={0}
                  value={checkout.refundLimitCents}
                  onChange={(refundLimitCents) => set({ refundLimitCents })}
                  isDisabled={isDisabled}
                />
              </Card>
            </>
          );
        }}
      </SettingsForm>
    </SettingsScreen>
  );
}
