import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { useCountries } from '../../shell/address.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { type Fields, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Card, Grid, Notice, Row, Screen } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { PercentField } from '../../ui/percent-field.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Taxes, type TaxRate, taxesKey, taxesQuery } from './queries.ts';
import { SampleOrder } from './sample.tsx';
import { usePricingTexts } from './texts.ts';

/** The tax settings of the store. */
export function TaxesScreen() {
  const words = usePricingTexts();
  const store = useStore();
  if (store.can('orders.read')) return <Editor />;
  return <NoPermission title={words.taxes} role={store.role} needed={store.roleFor('orders.read')} />;
}

const presets = ['eu', 'uk', 'ch', 'no'] as const;
type Preset = (typeof presets)[number];

function Editor() {
  const words = usePricingTexts();
  const common = useCommon();
  const store = useStore();
  const key = taxesKey(store.id);
  const {
    data: { taxes, etag },
  } = useSuspenseQuery(taxesQuery(store.id));
  const params = { path: { storeId: store.id } };
  const form = useResourceForm<Taxes, unknown>({
    stored: taxes,
    etag,
    canWrite: store.manages,
    save: ({ value, headers }) =>
      api.put('/api/stores/{storeId}/taxes', {
        params,
        headers,
        body: {
          ...value,
          categories: [...new Set([...value.categories, ...value.rates.map((rate) => rate.category)])],
        },
      }),
    done: words.savedTaxes,
    invalidates: [key],
  });
  const { value, isReadOnly } = form;
  const loadPreset = useMutation(
    (preset: Preset) => api.post('/api/stores/{storeId}/taxes/presets', { params, body: { preset } }),
    { done: words.presetDone, invalidates: [key], onDone: form.reset },
  );
  const [pendingPreset, setPendingPreset] = useState<Preset | null>(null);
  return (
    <Screen title={words.taxes} subtitle={words.taxesHint}>
      {isReadOnly && <Notice>{words.readOnly({ role: common.roles[store.role] })}</Notice>}
      <ResourceForm form={form}>
        <PricesCard form={form} />
        <Card title={words.rates}>
          <p>{words.ratesHint}</p>
          {store.manages && (
            <Row>
              {presets.map((preset) => (
                <Button
                  key={preset}
                  onPress={() =>
                    value.rates.length > 0 ? setPendingPreset(preset) : void loadPreset.run(preset)
                  }
                  isPending={loadPreset.isPending}
                  isDisabled={form.isDirty}
                >
                  {words.presets[preset]}
                </Button>
              ))}
            </Row>
          )}
          <Rates
            rates={value.rates}
            homeCountry={value.homeCountry}
            problems={form.mutation.problems}
            onChange={form.field('rates').onChange}
            isDisabled={isReadOnly}
          />
        </Card>
      </ResourceForm>
      <SampleOrder homeCountry={taxes.homeCountry} />
      <ConfirmDialog
        title={words.presetTitle}
        confirm={words.presetConfirm}
        isOpen={pendingPreset !== null}
        onClose={() => setPendingPreset(null)}
        onConfirm={async () => {
          if (pendingPreset) await loadPreset.run(pendingPreset);
        }}
      >
        {words.presetHint}
      </ConfirmDialog>
    </Screen>
  );
}

/** Whether prices include tax, and the rules for taxes outside the home country and on shipping. */
function PricesCard({ form }: { form: Fields<Taxes> }) {
  const words = usePricingTexts();
  const { choices } = useCountries();
  const { value, isReadOnly } = form;
  return (
    <Card title={words.prices}>
      <Switch label={words.pricesIncludeTax} {...form.field('pricesIncludeTax')} />
      <Grid>
        <Select
          label={words.homeCountry}
          name="/homeCountry"
          choices={[{ id: 'none', text: words.noCountry }, ...choices]}
          value={value.homeCountry ?? 'none'}
          onChange={(id) => form.change({ homeCountry: id === 'none' ? null : (id as Taxes['homeCountry']) })}
          isReadOnly={isReadOnly}
        />
        <Select
          label={words.elsewhere}
          choices={(['none', 'home'] as const).map((id) => ({ id, text: words.elsewheres[id] }))}
          {...form.field('elsewhere')}
        />
        <Select
          label={words.taxOfShipping}
          choices={(['proportional', 'standard', 'none'] as const).map((id) => ({
            id,
            text: words.taxesOfShipping[id],
          }))}
          {...form.field('shipping')}
        />
      </Grid>
      <Switch label={words.reverseCharge} {...form.field('reverseCharge')} />
      <TextField
        label={words.displayNote}
        hint={words.displayNoteHint}
        {...form.field('displayNote')}
        maxLength={500}
      />
    </Card>
  );
}

const blank: TaxRate = { country: 'DE', region: null, category: 'standard', name: 'VAT', percent: '' };

/** The tax rates by country. */
function Rates({
  rates,
  homeCountry,
  problems,
  onChange,
  isDisabled,
}: {
  rates: readonly TaxRate[];
  homeCountry: TaxRate['country'] | null;
  /** By JSON pointer. A country with a refused rate is expanded. */
  problems: Readonly<Record<string, string>>;
  onChange(rates: TaxRate[]): void;
  isDisabled: boolean;
}) {
  const words = usePricingTexts();
  const { getCountryName } = useCountries();
  const [open, setOpen] = useState<string | null>(null);
  const countries = [...new Set(rates.map(({ country }) => country))].sort((a, b) =>
    getCountryName(a).localeCompare(getCountryName(b)),
  );
  const change = (at: number, changes: Partial<TaxRate>) =>
    onChange(rates.map((rate, i) => (i === at ? { ...rate, ...changes } : rate)));
  const isRefused = (country: string) =>
    rates.some(
      (rate, i) =>
        rate.country === country && Object.keys(problems).some((at) => at.startsWith(`/rates/${i}/`)),
    );
  const isOpen = (country: string) => open === country || isRefused(country);
  const add = () => {
    const country = (open ?? homeCountry ?? 'DE') as TaxRate['country'];
    onChange([...rates, { ...blank, country }]);
    setOpen(country);
  };
  return (
    <>
      <ul>
        {countries.map((country) => (
          <li key={country}>
            <Row isSpread>
              <span>
                <strong>{getCountryName(country)}</strong>{' '}
                <RateSummary rates={rates.filter((rate) => rate.country === country)} />
              </span>
              {!isDisabled && (
                <Button
                  look="quiet"
                  size="small"
                  aria-expanded={isOpen(country)}
                  onPress={() => setOpen(open === country ? null : country)}
                >
                  {words.edit}
                </Button>
              )}
            </Row>
            {isOpen(country) &&
              rates.map(
                (rate, i) =>
                  rate.country === country && (
                    // A rate has no id, so its position is its key.
                    <RateRow
                      key={i}
                      rate={rate}
                      pointer={`/rates/${i}`}
                      onChange={(changes) => {
                        change(i, changes);
                        if (changes.country) setOpen(changes.country);
                      }}
                      onRemove={() => onChange(rates.filter((_, other) => other !== i))}
                    />
                  ),
              )}
          </li>
        ))}
      </ul>
      {!isDisabled && (
        <Row>
          <Button onPress={add}>{words.addRate}</Button>
        </Row>
      )}
    </>
  );
}

/** The rates of a country in one line. */
function RateSummary({ rates }: { rates: readonly TaxRate[] }) {
  const formats = useFormats();
  return rates
    .map(({ percent, category, region }) =>
      [
        `${percent === '' ? '?' : formats.decimal(percent)} %`,
        region,
        category === 'standard' ? '' : `(${category})`,
      ]
        .filter(Boolean)
        .join(' '),
    )
    .join(', ');
}

function RateRow({
  rate,
  pointer,
  onChange,
  onRemove,
}: {
  rate: TaxRate;
  /** JSON pointer of the rate. */
  pointer: string;
  onChange(changes: Partial<TaxRate>): void;
  onRemove(): void;
}) {
  const words = usePricingTexts();
  const { choices } = useCountries();
  return (
    <Row>
      <Select
        label={words.country}
        name={`${pointer}/country`}
        choices={choices}
        value={rate.country}
        onChange={(id) => onChange({ country: id as TaxRate['country'] })}
      />
      <TextField
        label={words.region}
        name={`${pointer}/region`}
        value={rate.region ?? ''}
        onChange={(region) => onChange({ region: region || null })}
        maxLength={200}
      />
      <TextField
        label={words.category}
        name={`${pointer}/category`}
        value={rate.category}
        onChange={(category) => onChange({ category })}
        maxLength={60}
        isRequired
      />
      <TextField
        label={words.name}
        name={`${pointer}/name`}
        value={rate.name}
        onChange={(name) => onChange({ name })}
        maxLength={60}
        isRequired
      />
      <PercentField
        label={words.percent}
        name={`${pointer}/percent`}
        value={rate.percent}
        onChange={(percent) => onChange({ percent })}
        isRequired
      />
      <IconButton label={words.removeRate} onPress={onRemove}>
        <CrossIcon />
      </IconButton>
    </Row>
  );
}
