import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { languagesQuery } from '../../api/languages.ts';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useLanguage } from '../../texts/texts.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Empty, Grid, Progress, Row, Screen, Skeleton } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import {
  getEntityType,
  isDocument,
  isKind,
  type Kind,
  kinds,
  listMissing,
  progressQuery,
  readTranslated,
  type Translated,
  type TranslationSearch,
  translationsKey,
} from './queries.ts';
import { useTranslationTexts } from './texts.ts';

/** The progress of the store's translations, and the items to translate. */
export function TranslationList() {
  const words = useTranslationTexts();
  const store = useStore();
  if (store.can('translations.read')) return <Languages />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('translations.read')} />;
}

function Languages() {
  const words = useTranslationTexts();
  const common = useCommon();
  const store = useStore();
  const language = useLanguage();
  const search = useSearch<TranslationSearch>();
  const { data, error, refetch } = useQuery(languagesQuery(store.id));
  const targets = data?.others;
  if (!targets)
    return (
      <Screen title={words.title}>
        <Card>
          {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
        </Card>
      </Screen>
    );
  const locale = search.locale ?? targets[0];
  if (locale) return <List locale={locale} targets={[...new Set([...targets, locale])]} search={search} />;
  return (
    <Screen title={words.title}>
      <Card>
        <Empty
          title={words.noLanguages}
          action={
            <Row>
              <LinkButton look="primary" href={paths.inStore(store.id, 'settings')}>
                {common.settings}
              </LinkButton>
              <OtherLanguage language={language} />
            </Row>
          }
        >
          {words.noLanguagesHint}
        </Empty>
      </Card>
    </Screen>
  );
}

const canonical = (tag: string): string | null => {
  try {
    return Intl.getCanonicalLocales(tag.trim())[0] ?? null;
  } catch {
    return null;
  }
};

/** Opens a language that visitors cannot see yet, so that its translation can begin. */
function OtherLanguage({ language }: { language: string }) {
  const words = useTranslationTexts();
  const common = useCommon();
  const store = useStore();
  const [tag, setTag] = useState<string | null>(null);
  const locale = tag ? canonical(tag) : null;
  return (
    <>
      <Button onPress={() => setTag('')}>{words.otherLanguage}</Button>
      <Dialog title={words.otherLanguage} isOpen={tag !== null} onClose={() => setTag(null)} size="small">
        <Form onSubmit={() => {}}>
          <TextField
            label={words.languageTag}
            hint={locale ? getLocaleName(locale, language) : words.languageTagHint}
            value={tag ?? ''}
            onChange={setTag}
            autoFocus
            maxLength={100}
          />
          <Actions>
            <LinkButton
              look="primary"
              isDisabled={locale === null}
              href={`${paths.inStore(store.id, 'translations')}?locale=${locale ?? ''}`}
              onPress={() => setTag(null)}
            >
              {common.add}
            </LinkButton>
          </Actions>
        </Form>
      </Dialog>
    </>
  );
}

/** Returns the name of a locale in the given language. */
export function getLocaleName(locale: string, language: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale;
  } catch {
    return locale;
  }
}

function List({
  locale,
  targets,
  search,
}: {
  locale: string;
  targets: readonly string[];
  search: TranslationSearch;
}) {
  const words = useTranslationTexts();
  const common = useCommon();
  const store = useStore();
  const language = useLanguage();
  const kind: Kind = isKind(search.kind) ? search.kind : 'product';
  const progress = useQuery(progressQuery(store.id, locale));
  const list = useList([...translationsKey(store.id), locale, kind], search, (given, signal) =>
    readTranslated(store.id, kind, locale, given.after, signal),
  );
  const name: ColumnOf<Translated> = {
    id: 'name',
    title: common.name,
    isHeader: true,
    cell: (item) => item.name,
  };
  // A document's progress is shown only on its own screen, because a list would have to read all documents.
  const progressColumns: ColumnOf<Translated>[] = [
    {
      id: 'translation',
      title: words.translation,
      isWide: true,
      cell: ({ values }) => values.name ?? values.title ?? '–',
    },
    {
      id: 'state',
      title: common.status,
      isEnd: true,
      cell(item) {
        const missing = listMissing(item).length;
        if (missing === 0) return <Badge tone="good">{words.complete}</Badge>;
        return <Badge tone="warn">{words.missing({ count: missing })}</Badge>;
      },
    },
  ];
  return (
    <Screen
      title={words.title}
      subtitle={words.into({ language: getLocaleName(locale, language) })}
      actions={<OtherLanguage language={language} />}
    >
      <Card title={words.progress}>
        {progress.error && <Failure error={progress.error} onRetry={() => void progress.refetch()} />}
        <Grid min="10rem">
          {kinds
            .filter((each) => !isDocument(each))
            .map((each) => {
              const { translated = 0, total = 0 } = progress.data?.byEntityType[getEntityType(each)] ?? {};
              return (
                <Progress
                  key={each}
                  label={`${words.progressOf[each]}: ${common.of({ shown: translated, total })}`}
                  value={total === 0 ? (progress.data ? 1 : 0) : translated / total}
                />
              );
            })}
        </Grid>
      </Card>
      <ResourceList
        label={words.kinds[kind]}
        list={list}
        items={list.data?.items}
        columns={isDocument(kind) ? [name] : [name, ...progressColumns]}
        getHref={({ id }) => paths.inStore(store.id, 'translations', locale, kind, id)}
        moreFilters={
          <>
            <Select
              label={words.language}
              choices={targets.map((id) => ({ id, text: getLocaleName(id, language), detail: id }))}
              value={locale}
              onChange={(next) => list.change({ locale: next })}
            />
            <Select
              label={words.kind}
              choices={kinds.map((id) => ({ id, text: words.kinds[id] }))}
              value={kind}
              onChange={(next) => list.change({ kind: next })}
            />
          </>
        }
        empty={<Empty title={words.nothing}>{words.nothingHint}</Empty>}
        summary={words.count}
      />
    </Screen>
  );
}
