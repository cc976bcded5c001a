import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { useCountries } from '../../shell/address.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
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
  const preset = useMutation(
    (which: (typeof presets)[number]) =>
      api.post('/api/stores/{storeId}/taxes/presets', { params, body: { preset: which } }),
    { done: words.presetDone, invalidates: [key], onDone: form.reset },
  );
  const [asked, setAsked] = useState<(typeof presets)[number] | null>(null);
  const { choices } = useCountries();
  return (
    <Screen title={words.taxes} subtitle={words.taxesHint}>
      {isReadOnly && <Notice>{words.readOnly({ role: common.roles[store.role] })}</Notice>}
      <ResourceForm form={form}>
        <Card title={words.prices}>
          <Switch label={words.pricesIncludeTax} {...form.field('pricesIncludeTax')} />
          <Grid>
            <Select
              label={words.homeCountry}
              name="/homeCountry"
              choices={[{ id: 'none', text: words.noCountry }, ...choices]}
              value={value.homeCountry ?? 'none'}
              onChange={(id) =>
                form.change({ homeCountry: id === 'none' ? null : (id as Taxes['homeCountry']) })
              }
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
        <Card title={words.rates}>
          <p>{words.ratesHint}</p>
          {store.manages && (
            <Row>
              {presets.map((which) => (
                <Button
                  key={which}
                  onPress={() => (value.rates.length > 0 ? setAsked(which) : void preset.run(which))}
                  isPending={preset.isPending}
                  isDisabled={form.isDirty}
                >
                  {words.presets[which]}
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
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          if (asked) await preset.run(asked);
        }}
      >
        {words.presetHint}
      </ConfirmDialog>
    </Screen>
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
  const formats = useFormats();
  const { choices, getCountryName } = useCountries();
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
                {rates
                  .filter((rate) => rate.country === country)
                  .map(({ percent, category, region }) =>
                    [
                      `${percent === '' ? '?' : formats.decimal(percent)} %`,
                      region,
                      category === 'standard' ? '' : `(${category})`,
                    ]
                      .filter(Boolean)
                      .join(' '),
                  )
                  .join(', ')}
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
                    <Row key={i}>
                      <Select
                        label={words.country}
                        name={`/rates/${i}/country`}
                        choices={choices}
                        value={rate.country}
                        onChange={(id) => {
                          change(i, { country: id as TaxRate['country'] });
                          setOpen(id);
                        }}
                      />
                      <TextField
                        label={words.region}
                        name={`/rates/${i}/region`}
                        value={rate.region ?? ''}
                        onChange={(region) => change(i, { region: region || null })}
                        maxLength={200}
                      />
                      <TextField
                        label={words.category}
                        name={`/rates/${i}/category`}
                        value={rate.category}
                        onChange={(category) => change(i, { category })}
                        maxLength={60}
                        isRequired
                      />
                      <TextField
                        label={words.name}
                        name={`/rates/${i}/name`}
                        value={rate.name}
                        onChange={(name) => change(i, { name })}
                        maxLength={60}
                        isRequired
                      />
                      <PercentField
                        label={words.percent}
                        name={`/rates/${i}/percent`}
                        value={rate.percent}
                        onChange={(percent) => change(i, { percent })}
                        isRequired
                      />
                      <IconButton
                        label={words.removeRate}
                        onPress={() => onChange(rates.filter((_, other) => other !== i))}
                      >
                        <CrossIcon />
                      </IconButton>
                    </Row>
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
