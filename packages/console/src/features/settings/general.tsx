import { currencies } from '@waybill/contracts/currencies';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { useLanguage } from '../../texts/texts.ts';
import { LinkButton, TextLink } from '../../ui/button.tsx';
import { Card, Facts, Notice, Row } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Limits } from './limits.tsx';
import { SettingsForm, SettingsScreen } from './settings-screen.tsx';
import { useSettingsTexts } from './texts.ts';

/** Name, slug and currency of the store. */
export function GeneralSettings() {
  const words = useSettingsTexts();
  const common = useCommon();
  const formats = useFormats();
  const currencyNames = new Intl.DisplayNames(useLanguage(), { type: 'currency' });
  const { id, url, createdAt, updatedAt } = useStore();
  return (
    <SettingsScreen part="general">
      <SettingsForm keys={['name', 'slug', 'currency']}>
        {(form, store) => (
          <Card title={words.basics}>
            <TextField label={common.name} {...form.field('name')} maxLength={200} isRequired />
            <TextField
              label={words.slug}
              hint={words.slugHint}
              {...form.field('slug')}
              pattern="[a-z0-9]+(-[a-z0-9]+)*"
              maxLength={120}
              spellCheck="false"
              isRequired
            />
            {form.value.slug !== store.slug && (
              <Notice tone="warn">{words.slugWarning({ old: store.slug })}</Notice>
            )}
            <Select
              label={words.currency}
              choices={currencyChoices(form.value.currency).map((code) => ({
                id: code,
                text: `${code} – ${currencyNames.of(code)}`,
              }))}
              {...form.field('currency')}
            />
            {form.value.currency !== store.currency && <Notice tone="warn">{words.currencyWarning}</Notice>}
          </Card>
        )}
      </SettingsForm>
      <Card title={words.details}>
        <Facts
          facts={[
            [
              words.shopAddress,
              <TextLink key="url" href={url} target="_blank" rel="noreferrer">
                {url}
              </TextLink>,
            ],
            [words.storeId, <code key="id">{id}</code>],
            [common.created, formats.dateTime(createdAt)],
            [common.updated, formats.dateTime(updatedAt)],
          ]}
        />
      </Card>
      <Limits />
      <Card title={words.leave}>
        <p>{words.leaveHint}</p>
        <Row>
          <LinkButton href={paths.inStore(id, 'members')}>{words.toMembers}</LinkButton>
        </Row>
      </Card>
    </SettingsScreen>
  );
}

/** Returns the available currencies. A store may still use one that is no longer active. */
const currencyChoices = (current: string): readonly string[] =>
  currencies.includes(current) ? currencies : [current, ...currencies];
