import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { whoIsIn } from '../../api/guard.ts';
import { lazyScreen } from '../../lazy-screen.ts';
import { FailedOutside } from '../../shell/problems.tsx';

const editor = () => import('./index.tsx');

/** Where each kind of document is edited, and the screens of that. */
const screens = [
  ['stores/$storeId/pages/$pageId/edit', 'PageEditor', 'PagePreview'],
  ['stores/$storeId/sections/$sectionId/edit', 'SectionEditor', 'SectionPreview'],
  ['stores/$storeId/design/$kind/edit', 'TemplateEditor', 'TemplatePreview'],
  ['stores/$storeId/blog/$articleId/edit', 'ArticleEditor', 'ArticlePreview'],
] as const;

/** The editor fills the window: its screens stand beside the frame of all others, not in it. */
export function editorRoutes(root: AnyRoute) {
  const editing = createRoute({
    getParentRoute: () => root,
    id: 'editing',
    errorComponent: FailedOutside,
    beforeLoad: whoIsIn,
  });
  const screen = (path: string, name: (typeof screens)[number][1 | 2]) =>
    createRoute({ getParentRoute: () => editing, path, component: lazyScreen(editor, name) });
  return editing.addChildren(
    screens.flatMap(([path, edit, preview]) => [screen(path, edit), screen(`${path}/preview`, preview)]),
  );
}
