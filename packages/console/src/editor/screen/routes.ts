import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { whoIsIn } from '../../api/guard.ts';
import { lazyScreen } from '../../lazy-screen.ts';
import { FailedOutside } from '../../shell/problems.tsx';

const editor = () => import('./index.tsx');

/** The editor fills the window: its screens stand beside the frame of all others, not in it. */
export function editorRoutes(root: AnyRoute) {
  const editing = createRoute({
    getParentRoute: () => root,
    id: 'editing',
    errorComponent: FailedOutside,
    beforeLoad: whoIsIn,
  });
  return editing.addChildren([
    createRoute({
      getParentRoute: () => editing,
      path: 'stores/$storeId/pages/$pageId/edit',
      component: lazyScreen(editor, 'PageEditor'),
    }),
    createRoute({
      getParentRoute: () => editing,
      path: 'stores/$storeId/sections/$sectionId/edit',
      component: lazyScreen(editor, 'SectionEditor'),
    }),
    createRoute({
      getParentRoute: () => editing,
      path: 'stores/$storeId/design/$kind/edit',
      component: lazyScreen(editor, 'TemplateEditor'),
    }),
    createRoute({
      getParentRoute: () => editing,
      path: 'stores/$storeId/blog/$articleId/edit',
      component: lazyScreen(editor, 'ArticleEditor'),
    }),
  ]);
}
