import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { requireSession } from '../../api/guard.ts';
import { lazyScreen } from '../../lazy-screen.ts';
import { FailedOutside } from '../../shell/problems.tsx';

const editor = () => import('./index.tsx');
const preview = () => import('./preview-tab.tsx');

/** The address of each kind of document's editor, with its screens. */
const screens = [
  ['stores/$storeId/pages/$pageId/edit', 'PageEditor', 'PagePreview'],
  ['stores/$storeId/sections/$sectionId/edit', 'SectionEditor', 'SectionPreview'],
  ['stores/$storeId/design/$kind/edit', 'TemplateEditor', 'TemplatePreview'],
  ['stores/$storeId/blog/$articleId/edit', 'ArticleEditor', 'ArticlePreview'],
] as const;

/**
 * Creates the editor's routes. The editor fills the window, so its screens are beside the frame of all others, not in
 * it.
 */
export function editorRoutes(root: AnyRoute) {
  const editing = createRoute({
    getParentRoute: () => root,
    id: 'editing',
    errorComponent: FailedOutside,
    beforeLoad: requireSession,
  });
  const getParentRoute = () => editing;
  return editing.addChildren(
    screens.flatMap(([path, edited, previewed]) => [
      createRoute({ getParentRoute, path, component: lazyScreen(editor, edited) }),
      createRoute({ getParentRoute, path: `${path}/preview`, component: lazyScreen(preview, previewed) }),
    ]),
  );
}
