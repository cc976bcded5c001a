import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { HtmlField } from '../../shell/html-field/html-field.tsx';
import { NoPermission, NotFound } from '../../shell/problems.tsx';
import { Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { useLanguage } from '../../texts/texts.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Empty, Row, Screen } from '../../ui/layout.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toasts.tsx';
import { nameOf } from './list.tsx';
import {
  entityTypeOf,
  findMissing,
  isKind,
  type Kind,
  targetOf,
  translatedQuery,
  translationsKey,
} from './queries.ts';
import { useTranslationTexts } from './texts.ts';
import style from './translations.module.css';

/** One thing in two languages, side by side. */
export function TranslationScreen() {
  const words = useTranslationTexts();
  const store = useStore();
  const { locale, kind, thingId } = useParams({ strict: false }) as Record<string, string>;
  if (!store.can('translations.read'))
    return <NoPermission title={words.title} role={store.role} needed={store.roleFor('translations.read')} />;
  if (!isKind(kind)) return <NotFound />;
  return <Both key={`${locale} ${thingId}`} locale={locale!} kind={kind} id={thingId!} />;
}

/** Which text of a kind is HTML. */
const html: Readonly<Partial<Record<Kind, string>>> = {
  product: 'description',
  category: 'description',
  article: 'content',
};

function Both({ locale, kind, id }: { locale: string; kind: Kind; id: string }) {
  const words = useTranslationTexts();
  const common = useCommon();
  const store = useStore();
  const language = useLanguage();
  const { data: thing } = useSuspenseQuery(translatedQuery(store.id, kind, locale, id));
  const fields = Object.keys(thing.texts);
  const draft = useDraft<Record<string, string>>(
    Object.fromEntries(fields.map((field) => [field, thing.values[field] ?? ''])),
  );
  const { leave } = useLeaving(draft.isDirty);
  const canWrite = store.can('translations.write');
  const at = (otherId: string) => paths.inStore(store.id, 'translations', locale, kind, otherId);
  const save = useMutation(
    async () => {
      const changed = fields.filter((field) => draft.value[field] !== draft.base[field]);
      const placed = (key: string) => {
        const { entityId, field } = targetOf(thing, key);
        return { locale, entityType: entityTypeOf(kind), entityId, field };
      };
      const [written, cleared] = [true, false].map((isWritten) =>
        changed.filter((field) => (draft.value[field]!.trim() !== '') === isWritten),
      ) as [string[], string[]];
      const path = { storeId: store.id };
      if (written.length > 0)
        await api.put('/api/stores/{storeId}/translations', {
          params: { path },
          body: {
            entries: written.map((field) => ({
              ...placed(field),
              value: draft.value[field]!,
              source: 'human',
            })),
          },
        });
      for (const field of cleared)
        await api.delete('/api/stores/{storeId}/translations', {
          params: { path, query: placed(field) },
        });
    },
    { done: common.saved, invalidates: [translationsKey(store.id)], onDone: () => draft.markSaved() },
  );
  const next = useMutation(
    async () => {
      if (draft.isDirty) await save.attempt(undefined);
      return findMissing(store.id, kind, locale, id);
    },
    {
      // What could not be saved has been said.
      handles: () => save.error !== null,
      onDone(found) {
        if (found) leave(at(found));
        else toast(words.allDone);
      },
    },
  );

  const target = nameOf(locale, language);
  const list = `${paths.inStore(store.id, 'translations')}?${new URLSearchParams({ locale, kind })}`;
  const nextLinks = (
    <Button isPending={next.isPending} onPress={() => next.run(undefined)}>
      {canWrite && draft.isDirty ? words.saveAndNext : words.next}
    </Button>
  );
  return (
    <Screen
      title={thing.name}
      subtitle={words.into(target)}
      back={<TextLink href={list}>{common.backTo(words.title)}</TextLink>}
    >
      {fields.length === 0 && (
        <Card>
          <Empty title={words.noText}>{words.noTextHint}</Empty>
        </Card>
      )}
      <Form mutation={save} isKept onSubmit={() => void save.run(undefined)}>
        {fields.map((field) => {
          const { element, field: part } = targetOf(thing, field);
          const called = words.fields[part as keyof typeof words.fields] ?? part;
          const name = element ? words.ofElement(element, called) : called;
          const isHtml = field === html[kind];
          const Field = isHtml ? HtmlField : TextField;
          const original = thing.texts[field]!;
          // Longer texts have more room.
          const rows = isHtml ? 8 : original.length > 80 ? 4 : 1;
          return (
            <Card key={field} title={name}>
              <div className={style.both}>
                <Field
                  label={words.original(name)}
                  value={original}
                  onChange={() => {}}
                  rows={rows}
                  isReadOnly
                />
                <Field
                  label={words.translationOf(name, target)}
                  value={draft.value[field] ?? ''}
                  onChange={(value) => draft.change({ [field]: value })}
                  rows={rows}
                  isReadOnly={!canWrite}
                  {...(isHtml ? { hint: words.untranslated } : { placeholder: words.untranslated })}
                />
              </div>
            </Card>
          );
        })}
        {canWrite && fields.length > 0 ? (
          <SaveBar isPending={save.isPending} isDirty={draft.isDirty} onDiscard={draft.reset}>
            {nextLinks}
          </SaveBar>
        ) : (
          <Row>{nextLinks}</Row>
        )}
      </Form>
      <Unsaved isDirty={draft.isDirty} />
    </Screen>
  );
}
