import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { whoIsIn } from '../../api/guard.ts';
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
      component: lazyRouteComponent(editor, 'PageEditor'),
    }),
    createRoute({
      getParentRoute: () => editing,
      path: 'stores/$storeId/sections/$sectionId/edit',
      component: lazyRouteComponent(editor, 'SectionEditor'),
    }),
    createRoute({
      getParentRoute: () => editing,
      path: 'stores/$storeId/design/$kind/edit',
      component: lazyRouteComponent(editor, 'TemplateEditor'),
    }),
    createRoute({
      getParentRoute: () => editing,
      path: 'stores/$storeId/blog/$articleId/edit',
      component: lazyRouteComponent(editor, 'ArticleEditor'),
    }),
  ]);
}
