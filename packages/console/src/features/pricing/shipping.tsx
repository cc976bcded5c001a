import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { CountriesField } from '../../shell/countries-field.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Card, Empty, Grid, Notice, Row, Screen } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Rate, type Shipping, shippingKey, shippingQuery, taxesQuery, type Zone } from './queries.ts';
import { type KeptPrices, rateKinds, switchKind } from './rate-kinds.ts';
import { SampleOrder } from './sample.tsx';
import { usePricingTexts } from './texts.ts';

/** The shipping zones of the store with their rates. */
export function ShippingScreen() {
  const words = usePricingTexts();
  const store = useStore();
  if (store.can('orders.read')) return <Editor />;
  return <NoPermission title={words.shipping} role={store.role} needed={store.roleFor('orders.read')} />;
}

function Editor() {
  const words = usePricingTexts();
  const common = useCommon();
  const store = useStore();
  const key = shippingKey(store.id);
  const {
    data: { shipping, etag },
  } = useSuspenseQuery(shippingQuery(store.id));
  const { data: taxes } = useQuery(taxesQuery(store.id));
  const form = useResourceForm<Pick<Shipping, 'zones'>, { shipping: Shipping }>({
    stored: shipping,
    etag,
    canWrite: store.manages,
    save: ({ value: { zones }, headers }) =>
      api.put('/api/stores/{storeId}/shipping', {
        params: { path: { storeId: store.id } },
        headers,
        body: { zones },
      }),
    done: words.savedShipping,
    invalidates: [key],
    adopt: ({ zones: typed }, { shipping: saved }, sent) =>
      typed ? { zones: withStoredIds(typed, sent.zones, saved.zones) } : {},
  });
  const { isReadOnly } = form;
  const { zones } = form.value;
  const change = (at: number, changes: Partial<Zone>) =>
    form.change({ zones: zones.map((zone, i) => (i === at ? { ...zone, ...changes } : zone)) });
  const homeCountry = taxes?.taxes.homeCountry ?? 'DE';
  const add = () => form.change({ zones: [...zones, newZone(homeCountry, words)] });
  return (
    <Screen
      title={words.shipping}
      subtitle={words.shippingHint}
      actions={store.manages && <Button onPress={add}>{words.addZone}</Button>}
    >
      {isReadOnly && <Notice>{words.readOnly({ role: common.roles[store.role] })}</Notice>}
      <ResourceForm form={form}>
        {zones.length === 0 && (
          <Card>
            <Empty title={words.noZones}>{words.noZonesHint}</Empty>
          </Card>
        )}
        {zones.map((zone, i) => (
          <ZoneCard
            key={zone.id}
            zone={zone}
            homeCountry={homeCountry}
            pointer={`/zones/${i}`}
            onChange={(changes) => change(i, changes)}
            onRemove={() => form.change({ zones: zones.filter((_, other) => other !== i) })}
            isDisabled={isReadOnly}
          />
        ))}
      </ResourceForm>
      <SampleOrder homeCountry={taxes?.taxes.homeCountry ?? null} />
    </Screen>
  );
}

/** Gives new zones and rates, edited while they were being saved, the ids that the server assigned. */
function withStoredIds(typed: readonly Zone[], sent: readonly Zone[], stored: readonly Zone[]): Zone[] {
  const ids = new Map(
    sent.flatMap((zone, i) => [
      [zone.id, stored[i]?.id ?? zone.id] as const,
      ...zone.rates.map((rate, at) => [rate.id, stored[i]?.rates[at]?.id ?? rate.id] as const),
    ]),
  );
  const getStoredId = (id: string) => ids.get(id) ?? id;
  return typed.map((zone) => ({
    ...zone,
    id: getStoredId(zone.id),
    rates: zone.rates.map((rate) => ({ ...rate, id: getStoredId(rate.id) })),
  }));
}

/** New zones and rates get temporary ids until the server assigns others. */
const newRate = (name: string): Rate => ({
  id: `new-${crypto.randomUUID()}`,
  name,
  kind: 'flat',
  priceCents: 0,
  steps: null,
  freeFromCents: null,
  minDays: null,
  maxDays: null,
  isEnabled: true,
});

const newZone = (country: string, words: { zone: string; rate: string }): Zone => ({
  id: `new-${crypto.randomUUID()}`,
  name: words.zone,
  countries: [country as Zone['countries'][number]],
  regions: null,
  postalCodes: null,
  rates: [newRate(words.rate)],
});

/** Splits a comma-separated text; null if it is empty. */
const parseList = (text: string): string[] | null => {
  const parts = text.split(',').map((part) => part.trim());
  const named = [...new Set(parts.filter((part) => part !== ''))];
  return named.length > 0 ? named : null;
};

function ZoneCard({
  zone,
  homeCountry,
  pointer,
  onChange,
  onRemove,
  isDisabled,
}: {
  zone: Zone;
  /** The first country of a zone that no longer covers the whole world. */
  homeCountry: Zone['countries'][number];
  pointer: string;
  onChange(changes: Partial<Zone>): void;
  onRemove(): void;
  isDisabled: boolean;
}) {
  const words = usePricingTexts();
  const [typed, setTyped] = useState<Record<string, string>>({});
  const isWorld = zone.countries.includes('*');
  const list = (name: 'regions' | 'postalCodes') => (
    <TextField
      label={words[name]}
      hint={words.listHint[name]}
      name={`${pointer}/${name}`}
      value={typed[name] ?? (zone[name] ?? []).join(', ')}
      onChange={(text) => {
        setTyped({ ...typed, [name]: text });
        onChange({ [name]: parseList(text) });
      }}
      onBlur={() => setTyped({})}
      isDisabled={isDisabled}
    />
  );
  const changeRate = (at: number, changes: Partial<Rate>) =>
    onChange({ rates: zone.rates.map((rate, i) => (i === at ? { ...rate, ...changes } : rate)) });
  return (
    <Card
      title={zone.name || words.zone}
      actions={
        !isDisabled && (
          <Button look="quiet" size="small" onPress={onRemove}>
            {words.removeZone}
          </Button>
        )
      }
    >
      <TextField
        label={words.zoneName}
        name={`${pointer}/name`}
        value={zone.name}
        onChange={(name) => onChange({ name })}
        maxLength={100}
        isRequired
        isDisabled={isDisabled}
      />
      <Switch
        label={words.world}
        value={isWorld}
        onChange={(isOn) => onChange({ countries: isOn ? ['*'] : [homeCountry] })}
        isDisabled={isDisabled}
      />
      {!isWorld && (
        <CountriesField
          addLabel={words.addCountry}
          removeLabel={words.removeCountry}
          value={zone.countries}
          onChange={(countries) => onChange({ countries })}
          keepsOne
          isDisabled={isDisabled}
        />
      )}
      <Grid>
        {list('regions')}
        {list('postalCodes')}
      </Grid>
      {zone.rates.map((rate, j) => (
        <RateFields
          key={rate.id}
          rate={rate}
          pointer={`${pointer}/rates/${j}`}
          onChange={(changes) => changeRate(j, changes)}
          onRemove={() => onChange({ rates: zone.rates.filter((_, other) => other !== j) })}
          isDisabled={isDisabled}
        />
      ))}
      {!isDisabled && (
        <Row>
          <Button onPress={() => onChange({ rates: [...zone.rates, newRate(words.rate)] })}>
            {words.addShippingRate}
          </Button>
        </Row>
      )}
    </Card>
  );
}

interface RateProps {
  rate: Rate;
  pointer: string;
  onChange(changes: Partial<Rate>): void;
  isDisabled: boolean;
}

function RateFields({ rate, pointer, onChange, onRemove, isDisabled }: RateProps & { onRemove(): void }) {
  const words = usePricingTexts();
  const store = useStore();
  const money = { currency: store.currency, exponent: store.currencyExponent };
  const [kept, setKept] = useState<KeptPrices>({});
  const isStepped = rate.kind === 'weight' || rate.kind === 'subtotal';
  const steps = rate.steps ?? [];
  return (
    <fieldset>
      <legend>{rate.name || words.rate}</legend>
      <Grid>
        <TextField
          label={words.rateName}
          name={`${pointer}/name`}
          value={rate.name}
          onChange={(name) => onChange({ name })}
          maxLength={100}
          isRequired
          isDisabled={isDisabled}
        />
        <Select
          label={words.kind}
          name={`${pointer}/kind`}
          choices={rateKinds.map((id) => ({ id, text: words.kinds[id] }))}
          value={rate.kind}
          onChange={(kind) => {
            const switched = switchKind(rate, kind, kept);
            setKept(switched.kept);
            onChange(switched.changes);
          }}
          isDisabled={isDisabled}
        />
        {!isStepped && (
          <NumberField
            label={words.price}
            name={`${pointer}/priceCents`}
            money={money}
            minValue={0}
            value={rate.priceCents}
            onChange={(priceCents) => onChange({ priceCents })}
            isRequired
            isDisabled={isDisabled}
          />
        )}
        <NumberField
          label={words.freeFrom}
          name={`${pointer}/freeFromCents`}
          money={money}
          minValue={0}
          value={rate.freeFromCents}
          onChange={(freeFromCents) => onChange({ freeFromCents })}
          isDisabled={isDisabled}
        />
        <DeliveryDays rate={rate} pointer={pointer} onChange={onChange} isDisabled={isDisabled} />
      </Grid>
      {isStepped && <StepRows rate={rate} pointer={pointer} onChange={onChange} isDisabled={isDisabled} />}
      <Row>
        <Switch
          label={words.isEnabled}
          value={rate.isEnabled}
          onChange={(isEnabled) => onChange({ isEnabled })}
          isDisabled={isDisabled}
        />
        {!isDisabled && isStepped && (
          <Button
            size="small"
            onPress={() =>
              onChange({ steps: [...steps, { from: (steps.at(-1)?.from ?? 0) + 1000, priceCents: 0 }] })
            }
          >
            {words.addStep}
          </Button>
        )}
        {!isDisabled && (
          <Button look="quiet" size="small" onPress={onRemove}>
            {words.removeShippingRate}
          </Button>
        )}
      </Row>
    </fieldset>
  );
}

function DeliveryDays({ rate, pointer, onChange, isDisabled }: RateProps) {
  const words = usePricingTexts();
  return (
    <>
      <NumberField
        label={words.minDays}
        name={`${pointer}/minDays`}
        minValue={0}
        maxValue={365}
        step={1}
        value={rate.minDays}
        onChange={(minDays) => onChange({ minDays })}
        isDisabled={isDisabled}
      />
      <NumberField
        label={words.maxDays}
        name={`${pointer}/maxDays`}
        minValue={0}
        maxValue={365}
        step={1}
        value={rate.maxDays}
        onChange={(maxDays) => onChange({ maxDays })}
        isDisabled={isDisabled}
      />
    </>
  );
}

/** The prices of a rate by weight or by the value of the goods. */
function StepRows({ rate, pointer, onChange, isDisabled }: RateProps) {
  const words = usePricingTexts();
  const store = useStore();
  const money = { currency: store.currency, exponent: store.currencyExponent };
  const steps = rate.steps ?? [];
  const changeStep = (at: number, changes: Partial<(typeof steps)[number]>) =>
    onChange({ steps: steps.map((step, i) => (i === at ? { ...step, ...changes } : step)) });
  return steps.map((step, k) => (
    // A step has no id, so its position is its key.
    <Row key={k}>
      <NumberField
        label={rate.kind === 'weight' ? words.fromGrams : words.fromAmount}
        name={`${pointer}/steps/${k}/from`}
        {...(rate.kind === 'weight' ? { step: 1 } : { money })}
        minValue={0}
        value={step.from}
        onChange={(from) => changeStep(k, { from: from ?? 0 })}
        isRequired
        isDisabled={isDisabled}
      />
      <NumberField
        label={words.price}
        name={`${pointer}/steps/${k}/priceCents`}
        money={money}
        minValue={0}
        value={step.priceCents}
        onChange={(priceCents) => changeStep(k, { priceCents: priceCents ?? 0 })}
        isRequired
        isDisabled={isDisabled}
      />
      {!isDisabled && steps.length > 1 && (
        <IconButton
          label={words.removeStep}
          onPress={() => onChange({ steps: steps.filter((_, other) => other !== k) })}
        >
          <CrossIcon />
        </IconButton>
      )}
    </Row>
  ));
}
