import { requireSession } from '../../api/guard.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const editor = () => import('./index.tsx');
const preview = () => import('./preview-tab.tsx');

/** The address of each kind of document's editor, with its screens. */
const screens = [
  ['stores/:storeId/pages/:pageId/edit', 'PageEditor', 'PagePreview'],
  ['stores/:storeId/sections/:sectionId/edit', 'SectionEditor', 'SectionPreview'],
  ['stores/:storeId/design/:kind/edit', 'TemplateEditor', 'TemplatePreview'],
  ['stores/:storeId/blog/:articleId/edit', 'ArticleEditor', 'ArticlePreview'],
] as const;

/** The editor fills the window, so its screens are not in the frame of the others. */
export const editorRoutes: readonly Route[] = screens.flatMap(([path, edited, previewed]) => [
  { path, guard: requireSession, screen: lazyScreen(editor, edited) },
  { path: `${path}/preview`, guard: requireSession, screen: lazyScreen(preview, previewed) },
]);
