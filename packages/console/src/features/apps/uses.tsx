import { useStoreId } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { templateName, useTemplateNames } from '../../shell/template-names.ts';
import { TextLink } from '../../ui/button.tsx';
import { Badge } from '../../ui/layout.tsx';
import style from './apps.module.css';
import type { BlockUse } from './queries.ts';
import { useAppsTexts } from './texts.ts';

const features = { page: 'pages', article: 'blog', section: 'sections' } as const;

const getPathSegments = ({ type, id }: BlockUse['places'][number]): string[] =>
  type === 'template' ? ['design'] : [features[type], id];

/** Blocks, each with the documents that use it. */
export function Uses({ blocks }: { blocks: readonly BlockUse[] }) {
  const words = useAppsTexts();
  const storeId = useStoreId();
  const names = useTemplateNames();
  return (
    <ul className={style.uses}>
      {blocks.map(({ key, name, places, hasMore }) => (
        <li key={key}>
          <strong>{name}</strong>
          {places.length === 0 && <p className={style.muted}>{words.standsNowhere}</p>}
          <ul className={style.places}>
            {places.map((place) => (
              <li key={place.id}>
                <span className={style.muted}>{words.places[place.type]}</span>
                <TextLink href={paths.inStore(storeId, ...getPathSegments(place))}>
                  {place.type === 'template' ? templateName(names, place.name) : place.name}
                </TextLink>
                {place.live && <Badge tone="good">{words.live}</Badge>}
                {place.draft && <Badge>{words.draft}</Badge>}
              </li>
            ))}
            {hasMore && <li>{words.moreUses}</li>}
          </ul>
        </li>
      ))}
    </ul>
  );
}
