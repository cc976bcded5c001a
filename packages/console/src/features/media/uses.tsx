import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { templateName, useTemplateNames } from '../../shell/template-names.ts';
import { TextLink } from '../../ui/button.tsx';
import { Badge } from '../../ui/layout.tsx';
import style from './media.module.css';
import type { Use } from './queries.ts';
import { useMediaTexts } from './texts.ts';

/** The path of each kind of item. Templates and the theme share a feature. */
const features: Readonly<Record<Use['type'], (id: string) => string[]>> = {
  page: (id) => ['pages', id],
  article: (id) => ['blog', id],
  product: (id) => ['products', id],
  category: (id) => ['categories', id],
  section: (id) => ['sections', id],
  template: () => ['design'],
  theme: () => ['design', 'theme'],
  order: (id) => ['orders', id],
  customer: (id) => ['customers', id],
};

/** The items that use a file, as links. */
export function Uses({ uses }: { uses: readonly Use[] }) {
  const words = useMediaTexts();
  const store = useStore();
  const names = useTemplateNames();
  const getUseName = (type: Use['type'], name: string) =>
    type === 'theme' ? names.theme : type === 'template' ? templateName(names, name) : name;
  return (
    <ul className={style.uses}>
      {uses.map(({ type, id, name, live }) => (
        <li key={`${type} ${id}`}>
          <span>{words.uses[type]}</span>
          <TextLink href={paths.inStore(store.id, ...features[type](id))}>{getUseName(type, name)}</TextLink>
          {live && <Badge tone="good">{words.live}</Badge>}
        </li>
      ))}
    </ul>
  );
}
