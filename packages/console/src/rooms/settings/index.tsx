import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { currencies } from '@waybill/contracts/currencies';
import { useState } from 'react';
import { isPreconditionFailed, useAct } from '../../api/act.ts';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { meQuery, useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Conflict, Unsaved } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { useLanguage } from '../../texts/texts.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Facts, Notice, Row, Screen, TwoColumns } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Domains } from './domains.tsx';
import { Languages } from './languages.tsx';
import { Limits } from './limits.tsx';
import { Mails } from './mails.tsx';
import { changeOf, differing, type StoreChange, settingsQuery } from './queries.ts';
import { useSettingsTexts } from './texts.ts';

/** What new stores have, and what is set where a switch is turned on. */
const usualMinutes = 60;
const usualDays = 14;

/** What a store is called, where it is, and how it sells. */
export function Settings() {
  const words = useSettingsTexts();
  const common = useCommon();
  const formats = useFormats();
  const language = useLanguage();
  const queries = useQueryClient();
  const { id, manages } = useStore();
  const {
    data: { store, etag },
  } = useSuspenseQuery(settingsQuery(id));
  const draft = useDraft<StoreChange>(changeOf(store), etag);
  const [isConflict, setConflict] = useState(false);
  const { value } = draft;
  const currencyNames = new Intl.DisplayNames(language, { type: 'currency' });
  const setCheckout = (changes: Partial<StoreChange['checkout']>) =>
    draft.change({ checkout: { ...value.checkout, ...changes } });

  const save = useAct(
    (condition: string | null) =>
      api.patch('/api/stores/{storeId}', {
        params: { path: { storeId: id } },
        headers: condition ? { 'if-match': condition } : {},
        body: differing(value, draft.base),
      }),
    {
      done: words.saved,
      touches: [['stores', id], meQuery.queryKey],
      fields: { duplicate_slug: '/slug', invalid_slug: '/slug' },
      handles: isPreconditionFailed,
      onDone: () => draft.settle(),
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) setConflict(true);
    });

  return (
    <Screen title={words.title}>
      {!manages && <Notice>{words.readOnly(common.roles[store.role])}</Notice>}
      <Form act={save} isKept onSubmit={() => void submit(draft.basis)}>
        <TwoColumns
          main={
            <>
              <Card title={words.basics}>
                <TextField
                  label={words.name}
                  name="/name"
                  value={value.name}
                  onChange={(name) => draft.change({ name })}
                  maxLength={200}
                  isRequired
                  isReadOnly={!manages}
                />
                <TextField
                  label={words.slug}
                  hint={words.slugHint}
                  name="/slug"
                  value={value.slug}
                  onChange={(slug) => draft.change({ slug })}
                  pattern="[a-z0-9]+(-[a-z0-9]+)*"
                  maxLength={120}
                  spellCheck="false"
                  isRequired
                  isReadOnly={!manages}
                />
                {value.slug !== store.slug && <Notice tone="warn">{words.slugWarning(store.slug)}</Notice>}
                <Select
                  label={words.currency}
                  name="/currency"
                  choices={currencyChoices(value.currency).map((code) => ({
                    id: code,
                    text: `${code} – ${currencyNames.of(code)}`,
                  }))}
                  value={value.currency}
                  onChange={(currency) => draft.change({ currency })}
                  isDisabled={!manages}
                />
                {value.currency !== store.currency && <Notice tone="warn">{words.currencyWarning}</Notice>}
              </Card>
              <Languages
                value={value.locales}
                onChange={(locales) => draft.change({ locales })}
                isDisabled={!manages}
              />
              <Card title={words.checkout}>
                <NumberField
                  label={words.maxQuantity}
                  name="/checkout/maxQuantity"
                  minValue={1}
                  maxValue={999}
                  step={1}
                  value={value.checkout.maxQuantity}
                  onChange={(maxQuantity) => setCheckout({ maxQuantity: maxQuantity ?? 1 })}
                  isRequired
                  isDisabled={!manages}
                />
                <Switch
                  label={words.expiresManual}
                  value={value.checkout.expireManualAfterDays > 0}
                  onChange={(isOn) => setCheckout({ expireManualAfterDays: isOn ? usualDays : 0 })}
                  isDisabled={!manages}
                />
                {value.checkout.expireManualAfterDays > 0 && (
                  <NumberField
                    label={words.expireDays}
                    hint={words.expireHint}
                    name="/checkout/expireManualAfterDays"
                    minValue={1}
                    maxValue={365}
                    step={1}
                    value={value.checkout.expireManualAfterDays}
                    onChange={(days) => setCheckout({ expireManualAfterDays: days ?? usualDays })}
                    isRequired
                    isDisabled={!manages}
                  />
                )}
                <Switch
                  label={words.expires}
                  value={value.checkout.expireUnpaidAfterMinutes > 0}
                  onChange={(isOn) => setCheckout({ expireUnpaidAfterMinutes: isOn ? usualMinutes : 0 })}
                  isDisabled={!manages}
                />
                {value.checkout.expireUnpaidAfterMinutes > 0 && (
                  <NumberField
                    label={words.expireMinutes}
                    hint={words.expireProviderHint}
                    name="/checkout/expireUnpaidAfterMinutes"
                    minValue={1}
                    maxValue={525_600}
                    step={1}
                    value={value.checkout.expireUnpaidAfterMinutes}
                    onChange={(minutes) => setCheckout({ expireUnpaidAfterMinutes: minutes ?? usualMinutes })}
                    isRequired
                    isDisabled={!manages}
                  />
                )}
              </Card>
              {manages && (
                <Row>
                  <Button look="primary" type="submit" isPending={save.isPending} isDisabled={!draft.isDirty}>
                    {common.save}
                  </Button>
                </Row>
              )}
            </>
          }
          side={
            <>
              <Mails />
              <Card title={words.facts}>
                <Facts
                  facts={[
                    [common.created, formats.dateTime(store.createdAt)],
                    [common.updated, formats.dateTime(store.updatedAt)],
                    ['ID', <code key="id">{store.id}</code>],
                  ]}
                />
              </Card>
              <Limits />
              <Card title={words.members}>
                <p>{words.membersHint}</p>
                <Row>
                  <LinkButton href={paths.inStore(id, 'members')}>{common.members}</LinkButton>
                </Row>
              </Card>
            </>
          }
        />
      </Form>
      {manages && <Domains />}
      <Unsaved isDirty={draft.isDirty} />
      <Conflict
        isOpen={isConflict}
        onClose={() => setConflict(false)}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.drop();
          void queries.invalidateQueries({ queryKey: ['stores', id] });
        }}
      />
    </Screen>
  );
}

/** The currencies to choose from: a store may still have one that is no longer active. */
const currencyChoices = (current: string): readonly string[] =>
  currencies.includes(current) ? currencies : [current, ...currencies];
