import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import { languagesQuery } from '../../api/languages.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { HtmlField } from '../../shell/html-field/html-field.tsx';
import { Failure } from '../../shell/problems.tsx';
import { useFormats } from '../../texts/format.ts';
import { useLanguage } from '../../texts/texts.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Row, Skeleton } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './products.module.css';
import type { Product } from './queries.ts';
import { useProductTexts } from './texts.ts';

const fields = ['name', 'description'] as const;
type Fields = Record<(typeof fields)[number], string>;

/** Suggested languages for a store that has not set its own, besides those it has texts in. */
const usual = ['de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'da', 'cs', 'ja', 'zh'];

const without = <Value,>(all: Readonly<Record<string, Value>>, gone: string) =>
  Object.fromEntries(Object.entries(all).filter(([key]) => key !== gone));

const fieldsQuery = (storeId: string, productId: string, locale: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'translations', 'product', productId, locale],
    queryFn: async ({ signal }) => {
      const query = { locale, entityType: 'product' as const, entityId: productId };
      const params = { path: { storeId }, query };
      const answer = await api.get('/api/stores/{storeId}/translations', { params, signal });
      return 'translations' in answer ? answer.translations : [];
    },
  });

/** Saves the changed fields. A field that was emptied loses its translation. */
async function saveFields(
  storeId: string,
  target: { entityType: 'product'; entityId: string; locale: string },
  changed: readonly (keyof Fields)[],
  value: Fields,
): Promise<void> {
  const path = { storeId };
  const entries = changed
    .filter((field) => value[field] !== '')
    .map((field) => ({ ...target, field, value: value[field], source: 'human' }));
  if (entries.length > 0)
    await api.put('/api/stores/{storeId}/translations', { params: { path }, body: { entries } });
  for (const field of changed.filter((candidate) => value[candidate] === ''))
    await api.delete('/api/stores/{storeId}/translations', {
      params: { path, query: { ...target, field } },
    });
}

/** The product's texts in the store's other languages, next to the original. */
export function Translations({ product, onDirty }: { product: Product; onDirty(isDirty: boolean): void }) {
  const words = useProductTexts();
  const formats = useFormats();
  const store = useStore();
  const language = useLanguage();
  const translation = useTranslation(product, onDirty);
  const { languages, locales, locale, typed, value, changed, save } = translation;
  const { data, error, refetch } = translation.read;
  const canWrite = store.can('translations.write');
  const names = useMemo(() => new Intl.DisplayNames(language, { type: 'language' }), [language]);
  if (locales === undefined)
    return (
      <Card title={words.translations}>
        {languages.error ? (
          <Failure error={languages.error} onRetry={() => void languages.refetch()} />
        ) : (
          <Skeleton lines={6} />
        )}
      </Card>
    );
  if (locale === undefined) return null;
  const isMachine = fields.some(
    (field) => data?.find((entry) => entry.field === field)?.source === 'machine',
  );
  const name = names.of(locale) ?? locale;
  return (
    <Card title={words.translations}>
      <div className={style.locale}>
        <Select
          label={words.translateInto}
          choices={locales.map((id) => ({ id, text: names.of(id) ?? id }))}
          value={locale}
          onChange={translation.choose}
        />
        {isMachine && <Badge tone="warn">{words.byMachine}</Badge>}
      </div>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={6} />}
      {data && (
        <Form mutation={save} isKept onSubmit={() => void save.run(undefined)}>
          {fields.map((field) => (
            <FieldPair
              key={field}
              field={field}
              original={product[field]}
              language={name}
              value={value[field]}
              onChange={(text) => translation.change(field, text)}
              isReadOnly={!canWrite}
            />
          ))}
          <p>{words.translationHint}</p>
          <p>
            <TextLink href={paths.inStore(store.id, 'translations', locale, 'product', product.id)}>
              {words.translateMore}
            </TextLink>
          </p>
          {canWrite && (
            <Row>
              <Button type="submit" isPending={save.isPending} isDisabled={changed.length === 0}>
                {words.saveTranslation({ language: name })}
              </Button>
              {Object.keys(typed).some((other) => other !== locale) &&
                words.alsoUnsaved({
                  languages: formats.list(
                    Object.keys(typed)
                      .filter((other) => other !== locale)
                      .map((other) => names.of(other) ?? other),
                  ),
                })}
            </Row>
          )}
        </Form>
      )}
    </Card>
  );
}

/** State and actions of the texts of a product in one other language at a time. */
function useTranslation(product: Product, onDirty: (isDirty: boolean) => void) {
  const words = useProductTexts();
  const store = useStore();
  const languages = useQuery({ ...languagesQuery(store.id), enabled: store.locales === null });
  const others = languages.data?.others;
  const locales = store.locales?.slice(1) ?? (others && [...new Set([...others, ...usual])]);
  const [chosen, setChosen] = useState<string | null>(null);
  const locale = chosen ?? locales?.[0];
  // Edits by locale, so that the user can switch between languages before saving.
  const [typed, setTyped] = useState<Readonly<Record<string, Fields>>>({});
  const read = useQuery({
    ...fieldsQuery(store.id, product.id, locale ?? ''),
    enabled: locale !== undefined,
  });
  const findStored = (field: keyof Fields) => read.data?.find((entry) => entry.field === field);
  const stored: Fields = {
    name: findStored('name')?.value ?? '',
    description: findStored('description')?.value ?? '',
  };
  const value = (locale && typed[locale]) || stored;
  const changed = fields.filter((field) => value[field] !== stored[field]);
  const isDirty = Object.keys(typed).length > 0;
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  useEffect(() => () => onDirty(false), [onDirty]);
  const save = useMutation(
    () =>
      saveFields(store.id, { entityType: 'product', entityId: product.id, locale: locale! }, changed, value),
    {
      done: words.translationSaved,
      invalidates: [['stores', store.id, 'translations']],
      // Text typed after the request was sent is not saved yet.
      onDone: () =>
        setTyped((now) =>
          fields.some((field) => now[locale!]?.[field] !== value[field]) ? now : without(now, locale!),
        ),
    },
  );
  return {
    languages,
    /** The languages to choose from; undefined until they are known. */
    locales,
    locale,
    choose: setChosen,
    read,
    /** Unsaved texts by locale. */
    typed,
    value,
    changed,
    save,
    change(field: keyof Fields, text: string) {
      if (locale === undefined) return;
      const next = { ...value, [field]: text };
      // The edited language stays selected, even if the list's first one changes.
      setChosen(locale);
      const isStored = fields.every((other) => next[other] === stored[other]);
      setTyped(isStored ? without(typed, locale) : { ...typed, [locale]: next });
    },
  };
}

/** A text in the store's own language, with its translation beside it. */
function FieldPair({
  field,
  original,
  language,
  value,
  onChange,
  isReadOnly,
}: {
  field: keyof Fields;
  original: string;
  /** Name of the other language. */
  language: string;
  value: string;
  onChange(text: string): void;
  isReadOnly: boolean;
}) {
  const words = useProductTexts();
  const Field = field === 'description' ? HtmlField : TextField;
  const rows = field === 'description' ? 5 : 1;
  return (
    <div className={style.beside}>
      <Field
        label={words.inOwn({ field: words[field] })}
        value={original}
        onChange={() => {}}
        rows={rows}
        isReadOnly
      />
      <Field
        label={words.inOther({ field: words[field], language })}
        value={value}
        onChange={onChange}
        rows={rows}
        isReadOnly={isReadOnly}
      />
    </div>
  );
}
