import { useSuspenseQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { HtmlField } from '../../shell/html-field/html-field.tsx';
import { NoPermission, NotFound } from '../../shell/problems.tsx';
import { type Fields, FormSaveBar, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useLanguage } from '../../texts/texts.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, Empty, Row, Screen } from '../../ui/layout.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toasts.tsx';
import { Windowed } from '../../ui/windowed.tsx';
import { getLocaleName } from './list.tsx';
import {
  findMissing,
  getEntityType,
  getTarget,
  isKind,
  type Kind,
  optionPrefix,
  type Translated,
  translatedQuery,
  translationsKey,
} from './queries.ts';
import { useTranslationTexts } from './texts.ts';
import style from './translations.module.css';

/** An item in two languages side by side. */
export function TranslationScreen() {
  const words = useTranslationTexts();
  const store = useStore();
  const { locale, kind, itemId } = useParams<string>();
  if (!store.can('translations.read'))
    return <NoPermission title={words.title} role={store.role} needed={store.roleFor('translations.read')} />;
  if (!isKind(kind)) return <NotFound />;
  return <ItemEditor key={`${locale} ${itemId}`} locale={locale!} kind={kind} id={itemId!} />;
}

/** The field of each kind that holds HTML. */
const html: Readonly<Partial<Record<Kind, string>>> = {
  product: 'description',
  category: 'description',
  article: 'content',
};

/**
 * Whether a field belongs to an option. A product can have over a thousand option values, so they are shown as a
 * compact list.
 */
const isOfOption = (field: string) => field.startsWith(optionPrefix);

function ItemEditor({ locale, kind, id }: { locale: string; kind: Kind; id: string }) {
  const words = useTranslationTexts();
  const common = useCommon();
  const store = useStore();
  const { data: item } = useSuspenseQuery(
    translatedQuery(store.id, kind, locale, id, store.can('integrations.read')),
  );
  const fields = Object.keys(item.texts);
  const canWrite = store.can('translations.write');
  const at = (otherId: string) => paths.inStore(store.id, 'translations', locale, kind, otherId);
  const form = useTranslationForm({ item, kind, locale });
  const { mutation, isDirty, leave } = form;
  const next = useMutation(
    async () => {
      if (isDirty) await mutation.attempt(false);
      return findMissing(store.id, kind, locale, id);
    },
    {
      // A failed save has already been reported.
      handles: () => mutation.error !== null,
      onDone(found) {
        if (found) leave(at(found));
        else toast(words.allDone);
      },
    },
  );

  const target = getLocaleName(locale, useLanguage());
  const list = `${paths.inStore(store.id, 'translations')}?${new URLSearchParams({ locale, kind })}`;
  const nextLinks = (
    <Button isPending={next.isPending} onPress={() => next.run(undefined)}>
      {canWrite && isDirty ? words.saveAndNext : words.next}
    </Button>
  );
  const getFieldTitle = (field: string) => {
    const { element, label, field: part } = getTarget(item, field);
    const called = label ?? words.fields[part as keyof typeof words.fields] ?? part;
    return element ? words.ofElement({ element, field: called }) : called;
  };
  const renderFieldPair = (field: string) => (
    <FieldPair
      key={field}
      title={getFieldTitle(field)}
      field={field}
      original={item.texts[field]!}
      form={form}
      isHtml={getTarget(item, field).isHtml ?? field === html[kind]}
      language={target}
    />
  );
  const ofOptions = fields.filter(isOfOption);
  return (
    <Screen
      title={item.name}
      subtitle={words.into({ language: target })}
      back={<TextLink href={list}>{common.backTo({ place: words.title })}</TextLink>}
    >
      {fields.length === 0 && (
        <Card>
          <Empty title={words.noText}>{words.noTextHint}</Empty>
        </Card>
      )}
      <ResourceForm
        form={form}
        bar={
          canWrite && fields.length > 0 ? (
            <FormSaveBar form={form}>{nextLinks}</FormSaveBar>
          ) : (
            <Row>{nextLinks}</Row>
          )
        }
      >
        {fields
          .filter((field) => !isOfOption(field))
          .map((field) => (
            <Card key={field} title={getFieldTitle(field)}>
              {renderFieldPair(field)}
            </Card>
          ))}
        {ofOptions.length > 0 && (
          <Card title={words.options}>
            <Windowed count={ofOptions.length}>{(at) => renderFieldPair(ofOptions[at]!)}</Windowed>
          </Card>
        )}
      </ResourceForm>
    </Screen>
  );
}

/** The form of an item's translations. A translation that is emptied is deleted. */
function useTranslationForm({ item, kind, locale }: { item: Translated; kind: Kind; locale: string }) {
  const common = useCommon();
  const store = useStore();
  const fields = Object.keys(item.texts);
  const canWrite = store.can('translations.write');
  return useResourceForm<Record<string, string>, void>({
    stored: Object.fromEntries(fields.map((field) => [field, item.values[field] ?? ''])),
    canWrite,
    async save({ value, base }) {
      const changed = fields.filter((field) => value[field] !== base[field]);
      const placed = (key: string) => {
        const { entityId, field } = getTarget(item, key);
        return { locale, entityType: getEntityType(kind), entityId, field };
      };
      const [written, cleared] = [true, false].map((isWritten) =>
        changed.filter((field) => (value[field]!.trim() !== '') === isWritten),
      ) as [string[], string[]];
      const path = { storeId: store.id };
      if (written.length > 0)
        await api.put('/api/stores/{storeId}/translations', {
          params: { path },
          body: {
            entries: written.map((field) => ({ ...placed(field), value: value[field]!, source: 'human' })),
          },
        });
      for (const field of cleared)
        await api.delete('/api/stores/{storeId}/translations', {
          params: { path, query: placed(field) },
        });
    },
    done: common.saved,
    invalidates: [translationsKey(store.id)],
  });
}

/** A text and its translation side by side. */
function FieldPair({
  title,
  field,
  original,
  form,
  isHtml,
  language,
}: {
  title: string;
  field: string;
  original: string;
  form: Fields<Record<string, string>>;
  isHtml: boolean;
  /** Name of the language of the translation. */
  language: string;
}) {
  const words = useTranslationTexts();
  const Field = isHtml ? HtmlField : TextField;
  // Longer texts get more rows.
  const rows = isHtml ? 8 : original.length > 80 && !isOfOption(field) ? 4 : 1;
  return (
    <div className={`${style.both} ${isOfOption(field) ? style.ofOption : ''}`}>
      <Field
        label={words.original({ field: title })}
        value={original}
        onChange={() => {}}
        rows={rows}
        isReadOnly
      />
      <Field
        label={words.translationOf({ field: title, language })}
        {...form.field(field)}
        rows={rows}
        {...(isHtml ? { hint: words.untranslated } : { placeholder: words.untranslated })}
      />
    </div>
  );
}
