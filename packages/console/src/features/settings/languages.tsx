import { useState } from 'react';
import { useLanguage } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choices.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Badge, Card } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import type { StoreChange } from './queries.ts';
import style from './settings.module.css';
import { SettingsForm, SettingsScreen } from './settings-screen.tsx';
import { useSettingsTexts } from './texts.ts';

/** The languages offered. The API accepts any BCP 47 tag, and one that the store already has is always shown. */
const offered = [
  'ar',
  'bg',
  'bn',
  'ca',
  'cs',
  'da',
  'de',
  'de-AT',
  'de-CH',
  'el',
  'en',
  'en-GB',
  'en-US',
  'es',
  'es-MX',
  'et',
  'eu',
  'fa',
  'fi',
  'fr',
  'fr-CA',
  'fr-CH',
  'ga',
  'gl',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'is',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'ms',
  'mt',
  'nb',
  'nl',
  'nl-BE',
  'pl',
  'pt',
  'pt-BR',
  'ro',
  'ru',
  'sk',
  'sl',
  'sq',
  'sr',
  'sv',
  'th',
  'tr',
  'uk',
  'ur',
  'vi',
  'zh-Hans',
  'zh-Hant',
];
const most = 20;

/** The languages in which visitors see the store. */
export const LanguageSettings = () => (
  <SettingsScreen part="languages">
    <SettingsForm keys={['locales']}>{(form) => <Languages {...form.field('locales')} />}</SettingsForm>
  </SettingsScreen>
);

/** Chooses between all translated languages and an explicit, ordered list. */
function Languages({
  value,
  onChange,
  isReadOnly,
}: {
  value: StoreChange['locales'];
  onChange(locales: string[] | null): void;
  isReadOnly: boolean;
}) {
  const words = useSettingsTexts();
  const names = new Intl.DisplayNames(useLanguage(), { type: 'language' });
  // The last list is kept, so that it returns when the user switches back.
  const [last, setLast] = useState(value ?? ['en']);
  const set = (locales: string[]) => {
    setLast(locales);
    onChange(locales);
  };
  const getLanguageName = (tag: string) => names.of(tag) ?? tag;
  return (
    <Card title={words.languages}>
      <RadioGroup
        label={words.languages}
        choices={[
          { id: 'automatic', text: words.automatic, detail: words.automaticHint },
          { id: 'chosen', text: words.chosen, detail: words.chosenHint },
        ]}
        value={value === null ? 'automatic' : 'chosen'}
        onChange={(choice) => onChange(choice === 'automatic' ? null : last)}
        isReadOnly={isReadOnly}
      />
      {value !== null && (
        <>
          <ol className={style.languages}>
            {value.map((tag, position) => (
              <li key={tag} className={style.language}>
                <span>
                  {getLanguageName(tag)} <code>{tag}</code>{' '}
                  {position === 0 && <Badge tone="accent">{words.writtenIn}</Badge>}
                </span>
                {!isReadOnly && (
                  <span className={style.acts}>
                    <Button
                      size="small"
                      look="quiet"
                      aria-label={words.moveUp({ language: getLanguageName(tag) })}
                      isDisabled={position === 0}
                      onPress={() => set(value.with(position - 1, tag).with(position, value[position - 1]!))}
                    >
                      ↑
                    </Button>
                    <IconButton
                      label={words.removeLanguage({ language: getLanguageName(tag) })}
                      isDisabled={value.length === 1}
                      onPress={() => set(value.filter((other) => other !== tag))}
                    >
                      <CrossIcon />
                    </IconButton>
                  </span>
                )}
              </li>
            ))}
          </ol>
          {!isReadOnly && value.length < most && (
            <Select
              label={words.addLanguage}
              name="/locales"
              choices={offered
                .filter((tag) => !value.includes(tag))
                .map((tag) => ({ id: tag, text: getLanguageName(tag) }))
                .sort((a, b) => a.text.localeCompare(b.text))}
              value={null}
              onChange={(tag) => set([...value, tag])}
              placeholder={words.addLanguagePlaceholder}
            />
          )}
        </>
      )}
    </Card>
  );
}
