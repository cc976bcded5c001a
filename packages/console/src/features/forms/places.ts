import { useQueries } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { kindOfId, templateName, useTemplateNames } from '../../shell/template-names.ts';
import { getOwnerId, ownerNameQuery } from './queries.ts';
import { useFormTexts } from './texts.ts';

/** The page, article or template that contains a form. */
export interface FormPlace {
  name: string;
  /** Link to it; null if it was deleted or the user may not open it. */
  href: string | null;
}

/** Returns the places of forms by form id. Several forms in one place are numbered in the order of their ids. */
export function usePlaces(formIds: readonly string[]): ReadonlyMap<string, FormPlace> {
  const store = useStore();
  const words = useFormTexts();
  const templates = useTemplateNames();
  const known = [...new Set(formIds)].sort();
  const owners = [...new Set(known.map(getOwnerId))];
  const names = useQueries({
    queries: owners.map((id) => ({
      ...ownerNameQuery(store.id, id),
      enabled: (isPage(id) && store.can('pages.read')) || (isArticle(id) && store.can('blog.read')),
      retry: false,
    })),
  });
  const places = owners.map((id, at): FormPlace => {
    if (isTemplate(id)) {
      const kind = kindOfId(templates, id);
      return { name: templateName(templates, kind), href: paths.inStore(store.id, 'design', kind) };
    }
    const name = names[at]!.data;
    if (name === null) return { name: words.gone, href: null };
    // Shows the id until the name is loaded, or if it cannot be read.
    if (name === undefined) return { name: id, href: null };
    return { name, href: paths.inStore(store.id, isPage(id) ? 'pages' : 'blog', id) };
  });
  return new Map(
    known.map((formId) => {
      const owner = getOwnerId(formId);
      const place = places[owners.indexOf(owner)]!;
      const ofOwner = known.filter((other) => getOwnerId(other) === owner);
      const name =
        ofOwner.length === 1
          ? place.name
          : words.another({ name: place.name, number: ofOwner.indexOf(formId) + 1 });
      return [formId, { ...place, name }];
    }),
  );
}

const isPage = (id: string) => id.startsWith('pag_');
const isArticle = (id: string) => id.startsWith('art_');
const isTemplate = (id: string) => id.startsWith('tpl_');
