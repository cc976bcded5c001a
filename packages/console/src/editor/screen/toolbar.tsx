import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { MenuTrigger } from 'react-aria-components/Menu';
import { languagesQuery } from '../../api/languages.ts';
import { useStore } from '../../api/me.ts';
import type { EditorWords } from '../../texts/en/editor.ts';
import { useLanguage } from '../../texts/texts.ts';
import { Button, IconButton, LinkButton } from '../../ui/button.tsx';
import { ChevronIcon } from '../../ui/icons.tsx';
import { Badge, useScreenTitle } from '../../ui/layout.tsx';
import { ActionMenu, MenuPopover, WithTooltip } from '../../ui/overlays.tsx';
import { Segments } from '../../ui/segments.tsx';
import { listGlobalActions } from '../workbench/actions.ts';
import { openPreview, pathBack } from '../workbench/paths.ts';
import { subjectInfoQuery } from '../workbench/queries.ts';
import type { ShownWithChoice, SubjectInfo } from '../workbench/subjects.ts';
import { useEditorState, useView, useWorkbench, type ViewState } from '../workbench/workbench.ts';
import { percent, setZoom, zoomSteps } from '../workbench/zoom.ts';
import { DesktopIcon, PhoneIcon, PreviewIcon, RedoIcon, TabletIcon, UndoIcon } from './icons.tsx';
import { useOtherEditors } from './presence.ts';
import { SaveState } from './saving.tsx';
import style from './toolbar.module.css';

const ChangesBadge = lazy(() => import('./changes-badge.tsx'));
const Languages = lazy(() => import('./languages.tsx'));
const SectionInPlace = lazy(() => import('./section-in-place.tsx'));

/** The toolbar: the open document, its state, and the actions on it as a whole. */
export function Toolbar() {
  const workbench = useWorkbench();
  const { words, subject, view, canWrite } = workbench;
  const { history } = useEditorState();
  const { width } = useView();
  const { data: about, dataUpdatedAt } = useQuery(subjectInfoQuery(subject));
  const others = useOtherEditors();
  const store = useStore();
  const { data: languages } = useQuery({
    ...languagesQuery(store.id),
    enabled: store.can('translations.read'),
  });
  const run = (id: string) => () =>
    listGlobalActions(workbench)
      .find((action) => action.id === id)
      ?.run();
  const open = (kind: 'revisions' | 'help') => () => view.set({ sheet: { kind } });
  const undone = history.done.at(-1)?.label;
  const redone = history.undone.at(-1)?.label;
  return (
    <div className={style.bar}>
      <div className={style.about}>
        <LinkButton size="small" href={pathBack(subject)}>
          {words.back}
        </LinkButton>
        <Title text={about?.name ?? words.kinds[subject.kind]} />
        {about && subject.kind === 'template' && (
          <LiveBadge texts={templateTexts(words)} about={about} readAt={dataUpdatedAt} />
        )}
        {subject.shownWith && <ShownWith choice={subject.shownWith} />}
        {about && (subject.kind === 'page' || subject.kind === 'article') && (
          <LiveBadge texts={words} about={about} readAt={dataUpdatedAt} />
        )}
        <SaveState />
        <Suspense>{workbench.surrounding && <SectionInPlace surrounding={workbench.surrounding} />}</Suspense>
        {others && (
          <Badge tone="warn">
            <span role="status">{words.isEditing({ name: others })}</span>
          </Badge>
        )}
      </div>
      <div className={style.tools}>
        <WithTooltip text={undone === undefined ? words.nothingToUndo : words.undoWhat({ label: undone })}>
          <IconButton
            label={undone === undefined ? words.undo : words.undoWhat({ label: undone })}
            isDisabled={!canWrite || undone === undefined}
            onPress={run('undo')}
          >
            <UndoIcon />
          </IconButton>
        </WithTooltip>
        <WithTooltip text={redone === undefined ? words.nothingToRedo : words.redoWhat({ label: redone })}>
          <IconButton
            label={redone === undefined ? words.redo : words.redoWhat({ label: redone })}
            isDisabled={!canWrite || redone === undefined}
            onPress={run('redo')}
          >
            <RedoIcon />
          </IconButton>
        </WithTooltip>
        <Segments
          label={words.width}
          value={width}
          onChange={(next) => view.set({ width: next as ViewState['width'] })}
          choices={[
            { id: 'base', text: words.widths.base, icon: <DesktopIcon /> },
            { id: 'tablet', text: words.widths.tablet, icon: <TabletIcon /> },
            { id: 'mobile', text: words.widths.mobile, icon: <PhoneIcon /> },
          ]}
        />
        {languages && languages.others.length > 0 && (
          <Suspense>
            <Languages own={languages.default} others={languages.others} />
          </Suspense>
        )}
        <ZoomMenu />
        <WithTooltip text={words.previewHint}>
          <IconButton label={words.preview} onPress={() => void openPreview(workbench)}>
            <PreviewIcon />
          </IconButton>
        </WithTooltip>
        <ActionMenu
          label={words.more}
          actions={[
            { id: 'revisions', text: words.revisions, onAction: open('revisions') },
            { id: 'help', text: words.help, onAction: open('help') },
            ...(about?.url ? [{ id: 'view', text: words.viewLive, href: about.url, isExternal: true }] : []),
          ]}
        />
        {canWrite && subject.publish && (
          <Button look="primary" size="small" onPress={() => view.set({ sheet: { kind: 'publish' } })}>
            {words.publish}
          </Button>
        )}
      </div>
    </div>
  );
}

function Title({ text }: { text: string }) {
  const heading = useScreenTitle(text);
  return (
    <h1 ref={heading} tabIndex={-1} data-screen-title>
      {text}
    </h1>
  );
}

/** A menu for the scale of the page. */
function ZoomMenu() {
  const workbench = useWorkbench();
  const { words } = workbench;
  const { scale } = useView();
  const language = useLanguage();
  const actions = listGlobalActions(workbench).filter(({ id }) => id.startsWith('zoom'));
  return (
    <MenuTrigger>
      <Button size="small" look="quiet" aria-label={words.zoomNow({ percent: percent(scale, language) })}>
        {percent(scale, language)}
        <ChevronIcon />
      </Button>
      <MenuPopover
        actions={[
          ...actions.map(({ id, text, run }) => ({ id, text, onAction: run })),
          ...zoomSteps.map((step) => ({
            id: String(step),
            text: percent(step, language),
            onAction: () => setZoom(workbench, step),
          })),
        ]}
      />
    </MenuTrigger>
  );
}

/** Shows whether visitors see the document, and whether in its current state. */
function LiveBadge({
  texts: { live, notLive, liveWithChanges },
  about: { isLive, hasChanges },
  readAt,
}: {
  texts: Pick<EditorWords, 'live' | 'notLive' | 'liveWithChanges'>;
  about: SubjectInfo;
  /** When `about` was read. */
  readAt: number;
}) {
  const { queue } = useWorkbench();
  const { kind, savedAt = 0 } = useSyncExternalStore(queue.subscribe, () => queue.state);
  if (!isLive) return <Badge tone="neutral">{notLive}</Badge>;
  // The answer may be older than the last save.
  if (kind === 'clean' && savedAt < readAt && !hasChanges) return <Badge tone="good">{live}</Badge>;
  return (
    <Suspense fallback={<Badge tone="warn">{liveWithChanges}</Badge>}>
      <ChangesBadge live={live} liveWithChanges={liveWithChanges} />
    </Suspense>
  );
}

/** Texts for templates: one that was never published shows the theme's own, whatever its draft contains. */
const templateTexts = ({ templateLive, liveWithChanges }: EditorWords) => ({
  live: templateLive.own,
  notLive: templateLive.default,
  liveWithChanges,
});

/** Shows the item that a template is drawn with, and leads to the choice of another. */
function ShownWith({ choice: { type, state } }: { choice: ShownWithChoice }) {
  const { words, view } = useWorkbench();
  const { shown } = useSyncExternalStore(state.subscribe, () => state.state);
  if (shown === undefined) return null;
  if (shown === null) return <Badge tone="warn">{words.shownWithNone[type]}</Badge>;
  return (
    <Button size="small" look="quiet" onPress={() => view.set({ right: 'page', narrow: 'right' })}>
      {words.shownWith({ name: shown.name })}
    </Button>
  );
}
