import { type ListSearch, useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { AppIcon } from '../../shell/apps.tsx';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, Empty, Grid, Row, Screen, Skeleton } from '../../ui/layout.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { ListPager } from '../../ui/table.tsx';
import style from './apps.module.css';
import { readDirectory } from './queries.ts';
import { useAppsTexts } from './texts.ts';
import { Views } from './views.tsx';

/** The apps that can be installed. */
export function Directory() {
  const words = useAppsTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch<ListSearch>();
  const list = useList(['apps', 'directory'], search, readDirectory);
  const apps = list.data?.apps ?? [];
  return (
    <Screen title={words.title} actions={<Views present="directory" />}>
      <Card>
        <Row>
          <SearchField
            label={common.search}
            placeholder={words.searchPlaceholder}
            value={search.q ?? ''}
            onChange={(q) => list.change({ q: q || undefined })}
          />
        </Row>
        {list.error && !list.data ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : list.isLoading ? (
          <Skeleton lines={8} />
        ) : apps.length === 0 && search.q ? (
          <Empty
            title={common.nothingFound}
            action={<Button onPress={() => list.change({ q: undefined })}>{common.clearFilters}</Button>}
          >
            {common.nothingFoundHint}
          </Empty>
        ) : apps.length === 0 ? (
          <Empty title={words.noApps}>{words.noAppsHint}</Empty>
        ) : (
          <Grid>
            {apps.map(({ id, name, orgName, iconUrl, description, blocks, installs }) => (
              <article key={id} className={style.card}>
                <div className={style.head}>
                  <AppIcon url={iconUrl} name={name} />
                  <span>
                    <strong>
                      <TextLink href={paths.inStore(store.id, 'apps', id)}>{name}</TextLink>
                    </strong>
                    <span className={style.muted}>{words.by({ org: orgName })}</span>
                  </span>
                </div>
                {description && <p className={style.description}>{description}</p>}
                {blocks.length > 0 && (
                  <p className={style.muted}>
                    {words.blocksOf({ blocks: formats.list(blocks.map((block) => block.name)) })}
                  </p>
                )}
                <p className={style.muted}>{words.stores({ count: installs })}</p>
              </article>
            ))}
          </Grid>
        )}
      </Card>
      <ListPager list={list} summary={words.count} />
    </Screen>
  );
}
