import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { isPreconditionFailed, useMutation } from '../../api/mutation.ts';
import { readTagged } from '../../api/tagged.ts';
import { useCountries } from '../../shell/address.tsx';
import { ImageField } from '../../shell/image-field.tsx';
import { Conflict, Unsaved } from '../../shell/unsaved.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Grid } from '../../ui/layout.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
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

/** Who sells, as invoices say it, and how documents are numbered. */
export function DocumentSettings() {
  const { manages } = useStore();
  return <SettingsScreen part="documents">{manages && <Editor />}</SettingsScreen>;
}

/** What an invoice cannot do without: `decisions.md 23.5`. */
const requiredParts: readonly (keyof Seller)[] = ['name', 'line1', 'city', 'country'];

function Editor() {
  const words = useSettingsTexts();
  const { id } = useStore();
  const queries = useQueryClient();
  const { choices } = useCountries();
  const query = settingsQuery(id);
  const {
    data: { settings, etag },
  } = useSuspenseQuery(query);
  const draft = useDraft<Documents>(settings, etag);
  const [isConflict, setConflict] = useState(false);
  const { value, change } = draft;
  const { seller } = value;
  const changeSeller = (changes: Partial<Seller>) => change({ seller: { ...seller, ...changes } });
  const save = useMutation(
    (condition: string | null) =>
      api.put('/api/stores/{storeId}/documents/settings', {
        params: { path: { storeId: id } },
        headers: condition ? { 'if-match': condition } : {},
        body: value,
      }),
    {
      done: words.saved,
      invalidates: [query.queryKey],
      handles: isPreconditionFailed,
      onDone: () => draft.markSaved(),
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) setConflict(true);
    });
  const part = (name: Exclude<keyof Seller, 'country'>) => (
    <TextField
      label={words.sellerParts[name]}
      name={`/seller/${name}`}
      value={seller[name]}
      onChange={(text) => changeSeller({ [name]: text })}
      maxLength={200}
      {...(name === 'email' && { type: 'email' as const })}
    />
  );
  const isIncomplete =
    requiredParts.some((name) => seller[name] === '') || (seller.vatId === '' && seller.taxNumber === '');
  return (
    <>
      <Form mutation={save} isKept onSubmit={() => void submit(draft.baseEtag)}>
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
                changeSeller({ country: (country === 'none' ? '' : country) as Seller['country'] })
              }
            />
            {part('vatId')}
            {part('taxNumber')}
            {part('email')}
          </Grid>
        </Card>
        <Card title={words.invoices}>
          <Switch
            label={words.automaticInvoices}
            value={value.invoices === 'automatic'}
            onChange={(isOn) => change({ invoices: isOn ? 'automatic' : 'manual' })}
          />
          <Grid>
            {(['invoicePattern', 'creditNotePattern'] as const).map((name) => (
              <TextField
                key={name}
                label={words[name]}
                hint={words.patternHint}
                name={`/${name}`}
                value={value[name]}
                onChange={(text) => change({ [name]: text })}
                maxLength={60}
                isRequired
                isCode
              />
            ))}
          </Grid>
        </Card>
        <Card title={words.documentLook}>
          <ImageField
            label={words.logo}
            name="/logoMediaId"
            value={value.logoMediaId}
            onChange={(logoMediaId) => change({ logoMediaId })}
            isReadOnly={false}
          />
          {(['bank', 'footer'] as const).map((name) => (
            <TextField
              key={name}
              label={words[name]}
              hint={words.documentTextHints[name]}
              name={`/${name}`}
              value={value[name]}
              onChange={(text) => change({ [name]: text })}
              maxLength={name === 'bank' ? 1_000 : 2_000}
              rows={3}
            />
          ))}
        </Card>
        <SaveBar isPending={save.isPending} isDirty={draft.isDirty} onDiscard={draft.reset} />
      </Form>
      <Unsaved isDirty={draft.isDirty} />
      <Conflict
        isOpen={isConflict}
        onClose={() => setConflict(false)}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: query.queryKey });
        }}
      />
    </>
  );
}
