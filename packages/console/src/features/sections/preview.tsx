import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { PreviewScreen } from '../../shell/document-look.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { revisionsQuery, sectionLookQuery, sectionQuery } from './queries.ts';
import { useSectionTexts } from './texts.ts';

/** A preview of a section and its revisions. */
export function SectionPreview() {
  const words = useSectionTexts();
  const store = useStore();
  const { sectionId } = useParams<'sectionId'>();
  if (store.can('pages.read')) return <Preview key={sectionId} id={sectionId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

function Preview({ id }: { id: string }) {
  const store = useStore();
  const {
    data: { section },
  } = useSuspenseQuery(sectionQuery(store.id, id));
  const { data: history } = useQuery(revisionsQuery(store.id, id));
  return (
    <PreviewScreen
      name={section.name}
      href={paths.inStore(store.id, 'sections', id)}
      getLookQuery={(revisionId) => sectionLookQuery(store.id, id, revisionId)}
      history={history?.revisions}
    />
  );
}
