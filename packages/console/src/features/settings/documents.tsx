import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { readTagged } from '../../api/tagged.ts';
import { useCountries } from '../../shell/address.tsx';
import { ImageField } from '../../shell/image-field.tsx';
import { type Fields, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useLanguage } from '../../texts/texts.ts';
import { Card, Grid } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { SettingsScreen } from './settings-screen.tsx';
import { useSettingsTexts } from './texts.ts';

type Documents = Model<'DocumentSettings'>;
type Seller = Documents['seller'];

const settingsQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'documents', 'settings'],
    queryFn: ({ signal }) =>
      readTagged<{ settings: Documents }>(`/api/stores/${storeId}/documents/settings`, signal),
  });

/** The seller's data on invoices, and the numbering of documents. */
export function DocumentSettings() {
  const { manages } = useStore();
  return <SettingsScreen part="documents">{manages && <Editor />}</SettingsScreen>;
}

/** Fields that an invoice requires (`decisions.md 23.5`). */
const requiredParts: readonly (keyof Seller)[] = ['name', 'line1', 'city', 'country'];

/** Languages with texts for documents. */
const documentLanguages: readonly Model<'MailTemplate'>['locale'][] = ['en', 'de', 'fr', 'es', 'it', 'nl'];

function Editor() {
  const words = useSettingsTexts();
  const languageNames = new Intl.DisplayNames(useLanguage(), { type: 'language' });
  const { id } = useStore();
  const { choices } = useCountries();
  const query = settingsQuery(id);
  const {
    data: { settings, etag },
  } = useSuspenseQuery(query);
  const form = useResourceForm<Documents, unknown>({
    stored: settings,
    etag,
    save: ({ value, headers }) =>
      api.put('/api/stores/{storeId}/documents/settings', {
        params: { path: { storeId: id } },
        headers,
        body: value,
      }),
    done: words.saved,
    invalidates: [query.queryKey],
  });
  const { seller, locale } = form.value;
  const sellerForm = form.within('seller');
  const part = (name: Exclude<keyof Seller, 'country'>) => (
    <TextField
      label={words.sellerParts[name]}
      {...sellerForm.field(name)}
      maxLength={200}
      {...(name === 'email' && { type: 'email' as const })}
    />
  );
  const isIncomplete =
    requiredParts.some((name) => seller[name] === '') || (seller.vatId === '' && seller.taxNumber === '');
  // The API accepts any BCP 47 tag, so the store's own is always offered.
  const locales = [...new Set([...documentLanguages, locale])];
  return (
    <ResourceForm form={form}>
      <Card title={words.seller}>
        <p>{isIncomplete ? words.sellerNeeded : words.sellerHint}</p>
        <Grid>
          {part('name')}
          {part('line1')}
          {part('line2')}
          {part('postalCode')}
          {part('city')}
          {part('region')}
          <Select
            label={words.sellerParts.country}
            name="/seller/country"
            choices={[{ id: 'none', text: words.noCountry }, ...choices]}
            value={seller.country || 'none'}
            onChange={(country) =>
              sellerForm.change({ country: (country === 'none' ? '' : country) as Seller['country'] })
            }
          />
          {part('vatId')}
          {part('taxNumber')}
          {part('email')}
        </Grid>
      </Card>
      <InvoicesCard form={form} />
      <Card title={words.documentLook}>
        <Select
          label={words.documentLocale}
          hint={words.documentLocaleHint}
          choices={locales.map((id) => ({ id, text: languageNames.of(id) ?? id }))}
          {...form.field('locale')}
        />
        <ImageField label={words.logo} {...form.field('logoMediaId')} />
        {(['bank', 'footer'] as const).map((name) => (
          <TextField
            key={name}
            label={words[name]}
            hint={words.documentTextHints[name]}
            {...form.field(name)}
            maxLength={name === 'bank' ? 1_000 : 2_000}
            rows={3}
          />
        ))}
      </Card>
    </ResourceForm>
  );
}

/** Whether invoices are written automatically, and the patterns of document numbers. */
function InvoicesCard({ form }: { form: Fields<Documents> }) {
  const words = useSettingsTexts();
  return (
    <Card title={words.invoices}>
      <Switch
        label={words.automaticInvoices}
        value={form.value.invoices === 'automatic'}
        onChange={(isOn) => form.change({ invoices: isOn ? 'automatic' : 'manual' })}
      />
      <Grid>
        {(['invoicePattern', 'creditNotePattern'] as const).map((name) => (
          <TextField
            key={name}
            label={words[name]}
            hint={words.patternHint}
            {...form.field(name)}
            maxLength={60}
            isRequired
            isCode
          />
        ))}
      </Grid>
    </Card>
  );
}
