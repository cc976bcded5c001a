import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { languagesQuery } from '../../api/languages.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { changeSearch } from '../../router/history.ts';
import { useParams, useSearch } from '../../router/router.tsx';
import { PreviewScreen } from '../../shell/document-look.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { useLanguage } from '../../texts/texts.ts';
import { Select } from '../../ui/select.tsx';
import { pageLookQuery, pageQuery, revisionsQuery } from './queries.ts';
import { usePageTexts } from './texts.ts';

/** A preview of a page and its revisions, in each language of the store. */
export function PagePreview() {
  const words = usePageTexts();
  const store = useStore();
  const { pageId } = useParams<'pageId'>();
  if (store.can('pages.read')) return <Preview key={pageId} id={pageId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

function Preview({ id }: { id: string }) {
  const store = useStore();
  const { locale } = useSearch<{ locale?: string }>();
  const {
    data: { page },
  } = useSuspenseQuery(pageQuery(store.id, id));
  const { data: history } = useQuery(revisionsQuery(store.id, id));
  return (
    <PreviewScreen
      name={page.name}
      href={paths.inStore(store.id, 'pages', id)}
      getLookQuery={(revisionId) => pageLookQuery(store.id, id, revisionId, locale)}
      history={history?.revisions}
      lang={locale}
      actions={<LanguageChoice locale={locale} />}
    />
  );
}

const asWritten = 'as-written';

/** Chooses the language of the preview, which the address holds. */
function LanguageChoice({ locale = asWritten }: { locale: string | undefined }) {
  const words = usePageTexts();
  const store = useStore();
  const language = useLanguage();
  const { data: languages } = useQuery({
    ...languagesQuery(store.id),
    enabled: store.can('translations.read'),
  });
  if (!languages || languages.others.length === 0) return null;
  const names = new Intl.DisplayNames(language, { type: 'language', fallback: 'code' });
  const choose = (next: string) =>
    changeSearch({ locale: next === asWritten ? undefined : next }, { replaces: true, keepsScroll: false });
  return (
    <Select
      label={words.previewLanguage}
      isLabelHidden
      choices={[
        { id: asWritten, text: words.asWritten },
        ...languages.others.map((id) => ({ id, text: names.of(id) ?? id })),
      ]}
      value={locale}
      onChange={choose}
    />
  );
}
