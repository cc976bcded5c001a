import { vocabulary } from '@waybill/page';
import { announce } from 'react-aria/private/live-announcer/LiveAnnouncer';
import { toast } from '../../ui/toasts.tsx';
import { Sources } from '../canvas/sources.ts';
import { Editor } from '../model/editor.ts';
import { Shared } from './store.ts';
import type { Opened, Subject } from './subjects.ts';
import type { ViewState, WorkbenchCore } from './workbench.ts';

const firstView: ViewState = {
  width: 'base',
  locale: null,
  editingId: null,
  left: 'layers',
  right: 'inspector',
  narrow: 'canvas',
  sheet: null,
  problems: [],
};

/** Opens a document that has been read: what the parts of the screen share, until it is closed. */
export function openDocument({
  subject,
  opened,
  canWrite,
}: {
  subject: Subject;
  opened: Opened;
  canWrite: boolean;
}): { core: WorkbenchCore; close(): void } {
  const editor = new Editor(vocabulary, opened.document);
  const view = new Shared(firstView);
  const sources = new Sources({ editor, view, draw: subject.draw, onProblems() {} });
  const core: WorkbenchCore = {
    storeId: subject.storeId,
    subject,
    editor,
    view,
    sources,
    canvas: { surface: null },
    canWrite,
    announce: (text) => announce(text, 'polite'),
    refuse: ({ message }) => toast(message, 'bad'),
    translate: (entityId, field, text) => sources.showText(entityId, field, text),
  };
  return { core, close: () => sources.close() };
}
