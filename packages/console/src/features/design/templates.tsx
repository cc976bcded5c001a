import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useTemplateNames } from '../../shell/template-names.ts';
import { themeQuery } from '../../shell/theme.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Badge, Card, Row, Screen, Skeleton } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import style from './design.module.css';
import { type Template, templatesKey, templatesQuery } from './queries.ts';
import { useDesignTexts } from './texts.ts';
import { useThemeChanges } from './theme-changes.ts';

/** The theme, and the templates grouped by purpose. */
export function Design() {
  const words = useDesignTexts();
  const store = useStore();
  if (!store.can('pages.read')) {
    return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
  }
  return (
    <Screen title={words.title} subtitle={words.hint}>
      {store.can('theme.read') && <ThemeCard />}
      <Templates />
    </Screen>
  );
}

function ThemeCard() {
  const words = useDesignTexts();
  const store = useStore();
  const { data, error, refetch } = useQuery(themeQuery(store.id, 'draft'));
  const changes = useThemeChanges(data);
  return (
    <Card
      title={words.theme}
      actions={
        <LinkButton href={paths.inStore(store.id, 'design', 'theme')}>
          {store.can('theme.write') ? words.editTheme : words.viewTheme}
        </LinkButton>
      }
    >
      <p className={style.hint}>{words.themeHint}</p>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={1} />}
      {data && (
        <Row>
          <ul className={style.swatches}>
            {Object.entries(data.theme.colors).map(([name, color]) => (
              <li key={name}>
                <Swatch color={color} />
                {words.color[name as keyof typeof words.color]}
              </li>
            ))}
          </ul>
          {changes && changes.length > 0 && <Badge tone="warn">{words.state.changed}</Badge>}
          {changes?.length === 0 && data.publishedAt === null && (
            <p className={style.hint}>{words.themeDefault}</p>
          )}
        </Row>
      )}
    </Card>
  );
}

/** A swatch of one of the store's colours. */
const Swatch = ({ color }: { color: string }) => (
  <svg className={style.swatch} viewBox="0 0 1 1" aria-hidden="true">
    <rect width="1" height="1" fill={color} />
  </svg>
);

function Templates() {
  const words = useDesignTexts();
  const store = useStore();
  const { data: templates } = useSuspenseQuery(templatesQuery(store.id));
  return (
    <Card title={words.templates} isFlush>
      <ul className={style.templates}>
        {templates.map((template) => (
          <TemplateRow key={template.kind} template={template} />
        ))}
      </ul>
    </Card>
  );
}

function TemplateRow({
  template: { kind, live, hasDraft, hasChanges, publishedAt },
}: {
  template: Template;
}) {
  const words = useDesignTexts();
  const common = useCommon();
  const names = useTemplateNames();
  const formats = useFormats();
  const store = useStore();
  const [asked, setAsked] = useState<'publish' | 'reset' | null>(null);
  const name = names.kinds[kind];
  const params = { path: { storeId: store.id, kind } };
  const invalidates = [templatesKey(store.id)];
  const publish = useMutation(() => api.post('/api/stores/{storeId}/templates/{kind}/publish', { params }), {
    done: words.published,
    invalidates,
  });
  const reset = useMutation(() => api.delete('/api/stores/{storeId}/templates/{kind}', { params }), {
    done: words.resetDone,
    invalidates,
  });
  const canWrite = store.can('pages.write');
  const at = paths.inStore(store.id, 'design', kind);
  return (
    <li className={style.template}>
      <div>
        <h3>{name}</h3>
        <p className={style.hint}>{words.purpose[kind]}</p>
      </div>
      <div className={style.state}>
        <Badge tone={live ? 'good' : 'neutral'}>{live ? words.state.own : words.state.default}</Badge>
        {hasChanges && <Badge tone="warn">{words.state.changed}</Badge>}
        {live && publishedAt && <small className={style.hint}>{formats.dateTime(publishedAt)}</small>}
      </div>
      <div className={style.deeds}>
        {canWrite && (
          <LinkButton size="small" href={`${at}/edit`} aria-label={words.edit({ name })}>
            {common.edit}
          </LinkButton>
        )}
        <LinkButton size="small" href={at} aria-label={words.previewOf({ name })}>
          {words.preview}
        </LinkButton>
        {canWrite && (
          <ActionMenu
            label={common.actionsFor({ thing: name })}
            actions={[
              {
                id: 'publish',
                text: words.publish,
                isDisabled: !hasDraft,
                onAction: () => setAsked('publish'),
              },
              {
                id: 'reset',
                text: words.reset,
                isDanger: true,
                isDisabled: !live && !hasDraft,
                onAction: () => setAsked('reset'),
              },
            ]}
          />
        )}
      </div>
      <ConfirmDialog
        title={words.publishTitle({ name })}
        confirm={words.publish}
        isOpen={asked === 'publish'}
        onClose={() => setAsked(null)}
        onConfirm={() => publish.attempt(undefined)}
        isDanger={false}
      >
        <p>{words.publishHint[kind]}</p>
      </ConfirmDialog>
      <ConfirmDialog
        title={words.resetTitle({ name })}
        confirm={words.reset}
        isOpen={asked === 'reset'}
        onClose={() => setAsked(null)}
        onConfirm={() => reset.attempt(undefined)}
      >
        <p>{words.resetHint}</p>
      </ConfirmDialog>
    </li>
  );
}
