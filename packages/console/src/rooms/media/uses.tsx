import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { TextLink } from '../../ui/button.tsx';
import { Badge } from '../../ui/layout.tsx';
import style from './media.module.css';
import type { Use } from './queries.ts';
import { useMediaTexts } from './texts.ts';

/** Templates and the theme have no room. */
const rooms: Readonly<Partial<Record<Use['type'], string>>> = {
  ...{ page: 'pages', article: 'blog', product: 'products', section: 'sections' },
};

/** Where a file stands, with the way there. */
export function Uses({ uses }: { uses: readonly Use[] }) {
  const words = useMediaTexts();
  const store = useStore();
  return (
    <ul className={style.uses}>
      {uses.map(({ type, id, name, live }) => (
        <li key={`${type} ${id}`}>
          <span>{words.uses[type]}</span>
          {rooms[type] ? <TextLink href={paths.inStore(store.id, rooms[type], id)}>{name}</TextLink> : name}
          {live && <Badge tone="good">{words.live}</Badge>}
        </li>
      ))}
    </ul>
  );
}
