import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { DeviceChoice, firstDevice, PageFrame } from '../../shell/page-frame.tsx';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { FormSaveBar, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { createSheet, type Theme, themeKey, themeQuery } from '../../shell/theme.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ColorField } from '../../ui/color-field.tsx';
import { Badge, Card, Grid, Notice, Row, Screen, Skeleton } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Select } from '../../ui/select.tsx';
import style from './design.module.css';
import { fontNameQuery, homepageLookQuery, templateLookQuery } from './queries.ts';
import { useDesignTexts } from './texts.ts';
import { useThemeChanges } from './theme-changes.ts';

const MediaPicker = lazy(async () => ({
  default: (await import('../../shell/media-picker.tsx')).MediaPicker,
}));

/** Edits the draft of the theme beside a preview, and publishes it. */
export function ThemeScreen() {
  const words = useDesignTexts();
  const store = useStore();
  if (store.can('theme.read')) return <Loaded />;
  return <NoPermission title={words.theme} role={store.role} needed={store.roleFor('theme.read')} />;
}

function Loaded() {
  const words = useDesignTexts();
  const common = useCommon();
  const store = useStore();
  const { data: saved } = useSuspenseQuery(themeQuery(store.id, 'draft'));
  const [isAsking, setAsking] = useState(false);
  const form = useResourceForm<Theme, unknown>({
    stored: saved.theme,
    etag: saved.etag,
    canWrite: store.can('theme.write'),
    save: ({ value, headers }) =>
      api.put('/api/stores/{storeId}/theme', {
        params: { path: { storeId: store.id } },
        headers,
        body: { theme: value },
      }),
    done: words.saved,
    invalidates: [themeKey(store.id)],
  });
  const { value, change, isDirty, canWrite } = form;
  const changes = useThemeChanges(saved);
  const hasChanges = changes !== undefined && changes.length > 0;
  return (
    <Screen
      title={words.theme}
      subtitle={words.themeHint}
      back={
        <TextLink href={paths.inStore(store.id, 'design')}>{common.backTo({ place: words.title })}</TextLink>
      }
      actions={
        canWrite && (
          <>
            {hasChanges && <Badge tone="warn">{words.state.changed}</Badge>}
            <Button
              look={isDirty || !hasChanges ? 'secondary' : 'primary'}
              isDisabled={isDirty || !saved.hasDraft}
              onPress={() => setAsking(true)}
            >
              {words.publishTheme}
            </Button>
          </>
        )
      }
    >
      {!canWrite && (
        <Notice>
          {words.readOnly({
            role: common.roles[store.role],
            needed: common.roles[store.roleFor('theme.write')],
          })}
        </Notice>
      )}
      <div className={style.theme}>
        <ResourceForm form={form} bar={<FormSaveBar form={form} label={words.save} />}>
          <Colors theme={value} isDisabled={!canWrite} onChange={change} />
          <Fonts theme={value} isDisabled={!canWrite} onChange={change} />
          <Measures theme={value} isDisabled={!canWrite} onChange={change} />
        </ResourceForm>
        <Look theme={value} />
      </div>
      {isAsking && <Publish changes={changes} onClose={() => setAsking(false)} />}
    </Screen>
  );
}

interface PartProps {
  theme: Theme;
  isDisabled: boolean;
  onChange(changes: Partial<Theme>): void;
}

type ColorName = keyof Theme['colors'];

function Colors({ theme: { colors }, isDisabled, onChange }: PartProps) {
  const words = useDesignTexts();
  const formats = useFormats();
  // The colour library is larger than this screen, so it loads later.
  const { data: contrast } = useQuery({
    queryKey: ['contrast'],
    queryFn: () => import('./contrast.ts'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const low = new Map(contrast?.lowContrasts(colors).map((each) => [each.on, each]));
  const formatRatio = formats.number;
  return (
    <Card title={words.colors}>
      <Grid>
        {(Object.keys(words.color) as ColorName[]).map((name) => {
          const found = low.get(name);
          return (
            <ColorField
              key={name}
              label={words.color[name]}
              pickLabel={words.pick({ name: words.color[name] })}
              hint={words.colorHint[name]}
              warning={
                found &&
                words.lowContrast({
                  ratio: formatRatio(found.ratio),
                  under: words.color[found.under],
                  least: formatRatio(contrast!.minContrast),
                })
              }
              name={`/theme/colors/${name}`}
              value={colors[name]}
              isDisabled={isDisabled}
              onChange={(color) => onChange({ colors: { ...colors, [name]: color } })}
            />
          );
        })}
      </Grid>
    </Card>
  );
}

type FontName = keyof Theme['fonts'];
const own = 'own';

function Fonts({ theme: { fonts }, isDisabled, onChange }: PartProps) {
  const words = useDesignTexts();
  const [picking, setPicking] = useState<FontName | null>(null);
  return (
    <Card title={words.fonts}>
      <Grid>
        {(['heading', 'body'] as const).map((name) => {
          const font = fonts[name];
          return (
            <div key={name} className={style.font}>
              <Select
                label={words.font[name]}
                name={`/theme/fonts/${name}`}
                choices={[
                  ...(['system', 'serif', 'mono'] as const).map((id) => ({ id, text: words.stacks[id] })),
                  { id: own, text: words.ownFont },
                ]}
                value={'mediaId' in font ? own : font.stack}
                isDisabled={isDisabled}
                onChange={(id) =>
                  id === own ? setPicking(name) : onChange({ fonts: { ...fonts, [name]: { stack: id } } })
                }
              />
              {'mediaId' in font && (
                <Row>
                  <FontName mediaId={font.mediaId} />
                  {!isDisabled && (
                    <Button size="small" onPress={() => setPicking(name)}>
                      {words.chooseOtherFont}
                    </Button>
                  )}
                </Row>
              )}
            </div>
          );
        })}
      </Grid>
      {picking && (
        <Suspense>
          <MediaPicker
            title={words.chooseFont}
            kind="font"
            onPick={([file]) => file && onChange({ fonts: { ...fonts, [picking]: { mediaId: file.id } } })}
            onClose={() => setPicking(null)}
          />
        </Suspense>
      )}
    </Card>
  );
}

function FontName({ mediaId }: { mediaId: string }) {
  const store = useStore();
  const { data } = useQuery(fontNameQuery(store.id, mediaId));
  return <TextLink href={paths.inStore(store.id, 'media', mediaId)}>{data ?? mediaId}</TextLink>;
}

function Measures({ theme, isDisabled, onChange }: PartProps) {
  const words = useDesignTexts();
  return (
    <Card title={words.measures}>
      <Grid min="10rem">
        <NumberField
          label={words.scale}
          name="/theme/scale"
          minValue={80}
          maxValue={150}
          value={Math.round(theme.scale * 100)}
          onChange={(percent) => onChange({ scale: (percent ?? 100) / 100 })}
          isDisabled={isDisabled}
        />
        <NumberField
          label={words.radius}
          name="/theme/radius"
          minValue={0}
          maxValue={48}
          value={theme.radius}
          onChange={(radius) => onChange({ radius: radius ?? 0 })}
          isDisabled={isDisabled}
        />
        <NumberField
          label={words.spacing}
          name="/theme/spacing"
          minValue={4}
          maxValue={96}
          value={theme.spacing}
          onChange={(spacing) => onChange({ spacing: spacing ?? 4 })}
          isDisabled={isDisabled}
        />
      </Grid>
    </Card>
  );
}

/** The homepage and a product page in the edited theme. */
function Look({ theme }: { theme: Theme }) {
  const words = useDesignTexts();
  const store = useStore();
  const [shown, setShown] = useState<'front' | 'product'>('front');
  const [device, setDevice] = useState(firstDevice);
  const front = useQuery({ ...homepageLookQuery(store.id), enabled: shown === 'front' });
  const product = useQuery({ ...templateLookQuery(store.id, 'product'), enabled: shown === 'product' });
  // Deferred, so that typing stays responsive.
  const seen = useDeferredValue(theme);
  const { data: sheet } = useQuery({
    queryKey: [...themeKey(store.id), 'look', seen],
    queryFn: () => createSheet(store.id, seen),
    placeholderData: (before: string | undefined) => before,
    gcTime: 0,
  });
  const { data, error, refetch } = shown === 'front' ? front : product;
  return (
    <Card
      title={words.look}
      actions={
        <>
          <Segments
            label={words.shown}
            choices={[
              { id: 'front', text: words.front },
              { id: 'product', text: words.product },
            ]}
            value={shown}
            onChange={(next) => setShown(next as typeof shown)}
          />
          <DeviceChoice value={device} onChange={setDevice} />
        </>
      }
    >
      <p className={style.hint}>{words.lookHint}</p>
      {error && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton lines={10} />}
      {data === null && <Notice>{words.noFront}</Notice>}
      {data && sheet !== undefined && (
        <PageFrame label={words.look} drawn={{ html: data.html, css: data.css + sheet }} device={device} />
      )}
    </Card>
  );
}

/** Summarises the changes that visitors will see, and publishes them. */
function Publish({ changes, onClose }: { changes: readonly string[] | undefined; onClose(): void }) {
  const words = useDesignTexts();
  const store = useStore();
  const publish = useMutation(
    () => api.post('/api/stores/{storeId}/theme/publish', { params: { path: { storeId: store.id } } }),
    { done: words.published, invalidates: [themeKey(store.id)] },
  );
  return (
    <ConfirmDialog
      title={words.publishThemeTitle}
      confirm={words.publish}
      isOpen
      onClose={onClose}
      onConfirm={() => publish.attempt(undefined)}
      isDanger={false}
    >
      {!changes && <Skeleton lines={3} />}
      {changes?.length === 0 && <p>{words.nothingChanges}</p>}
      {changes && changes.length > 0 && (
        <>
          <p>{words.willChange}</p>
          <ul className={style.changes}>
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}
