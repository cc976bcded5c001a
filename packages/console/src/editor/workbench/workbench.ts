import type { Breakpoint, DocumentSources, Problem } from '@waybill/page';
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { EditorWords } from '../../texts/en/editor.ts';
import type { InsertPosition } from '../core/drop.ts';
import type { Editor, EditorState } from '../core/editor.ts';
import type { SaveQueue } from '../core/save-queue.ts';
import type { CanvasHandle } from './canvas-port.ts';
import type { ObservableState } from './observable-state.ts';
import type { Subject } from './subjects.ts';
import type { Translations } from './translations.ts';

/** The parts of the screen in the order of F6. */
export const panes = ['toolbar', 'left', 'canvas', 'right'] as const;
export type Pane = (typeof panes)[number];

/** The dialog that is open over the screen. */
export type Sheet =
  | { readonly kind: 'insert'; readonly at?: InsertPosition; readonly isSection?: boolean }
  | { readonly kind: 'rename'; readonly id: string }
  | { readonly kind: 'moveTo' }
  | { readonly kind: 'help' }
  | { readonly kind: 'publish' }
  | { readonly kind: 'revisions' }
  | { readonly kind: 'section' }
  | { readonly kind: 'detach' };

/** A problem of the document, or a point that a merchant should check. */
export interface ShownProblem {
  /** The node to select; null if it is not a node of this document. */
  readonly id: string | null;
  /** Pointer below the node, such as `/props/style/mobile/fontSize`; the control there shows the message. */
  readonly pointer?: string;
  readonly tone: 'bad' | 'warn';
  readonly message: string;
}

export interface ViewState {
  readonly width: Breakpoint;
  /** The scale of the page: a factor, or `fit`. */
  readonly zoom: number | 'fit';
  /** The factor currently in use. */
  readonly scale: number;
  /** BCP 47; null for the language in which the page is written. */
  readonly locale: string | null;
  /** The node whose text is being typed on the canvas. */
  readonly editingId: string | null;
  /** The contents of the left and right panels. */
  readonly left: 'sections' | 'layers' | 'insert';
  readonly right: 'inspector' | 'page' | 'problems';
  /** The one part that is visible if the window is too narrow for all three. */
  readonly narrow: 'left' | 'canvas' | 'right';
  readonly sheet: Sheet | null;
  /** Whether leaving the document waits for a save that takes long. */
  readonly isLeavingSlow?: boolean;
  readonly problems: readonly ShownProblem[];
}

/**
 * The data that the document is drawn with. It is fetched again when the document's references or the language change.
 */
export interface SourcesStore {
  /** Undefined until it has been read once. */
  readonly state: DocumentSources | undefined;
  /** The reason why there is nothing to draw with. */
  readonly error: unknown;
  /** Whether an element on the canvas is waiting for its data. */
  readonly isLoading: boolean;
  subscribe(listener: () => void): () => void;
  /** Resolves when the data has been read or reading has failed. */
  reload(): Promise<void>;
  /** Shows a translation before it is stored and read again. */
  showText(entityId: string, field: string, text: string): void;
}

/** An open document and everything that the parts of the editor share; `words` are in the current language. */
export interface Workbench extends WorkbenchCore {
  readonly words: EditorWords;
  /** Opens the target of a section reference for editing in place; the screen then edits that section. */
  enter(referenceId: string): void;
}

/** The document around a global section that is edited in place. */
export interface SurroundingDocument {
  readonly workbench: WorkbenchCore;
  /** The node in it that refers to the section. */
  readonly referenceId: string;
  /** Stores the section and returns to the surrounding document, where these nodes are selected. */
  leave(selected?: readonly string[]): void;
}

export interface WorkbenchCore {
  readonly storeId: string;
  readonly subject: Subject;
  readonly editor: Editor;
  readonly view: ObservableState<ViewState>;
  readonly sources: SourcesStore;
  readonly queue: SaveQueue;
  readonly translations: Translations;
  readonly canvas: CanvasHandle;
  /** Null if the edited document is on the canvas by itself. */
  readonly surrounding: SurroundingDocument | null;
  /** Whether the member's role allows changes. */
  readonly canWrite: boolean;
  /** Announces a text to screen readers. */
  announce(text: string): void;
  /** Shows the reason of a refusal. */
  refuse(problem: Problem): void;
  /**
   * Uploads a file to the store's media and returns its id; undefined if it failed, which has been reported by then.
   */
  upload(file: File): Promise<string | undefined>;
  /**
   * Writes a text in the language of `view.state.locale` instead of in the document. `entityId` is a
   * `TreeNode.entityId`, `field` is `text`, `label`, … An empty text removes the translation.
   */
  translate(entityId: string, field: string, text: string): void;
}

const Context = createContext<Workbench | null>(null);

export const WorkbenchProvider = Context.Provider;

export function useWorkbench(): Workbench {
  const workbench = useContext(Context);
  if (!workbench) throw new Error('There is no WorkbenchProvider above.');
  return workbench;
}

/**
 * Returns the document's current state. While a text is typed on the canvas, subscribers are notified only when typing
 * rests, so that a letter costs no more than the canvas's work.
 */
export function useEditorState(): EditorState {
  const { editor, view } = useWorkbench();
  const subscribe = useCallback(
    (listener: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = editor.subscribe((_, changes) => {
        clearTimeout(timer);
        if (view.state.editingId === null || changes.length === 0) listener();
        else timer = setTimeout(listener, typingPauseMs);
      });
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
    [editor, view],
  );
  return useSyncExternalStore(subscribe, () => editor.state);
}

const typingPauseMs = 250;

export function useView(): ViewState {
  const { view } = useWorkbench();
  return useSyncExternalStore(view.subscribe, () => view.state);
}

export function useSources(): DocumentSources | undefined {
  const { sources } = useWorkbench();
  return useSyncExternalStore(
    (listener) => sources.subscribe(listener),
    () => sources.state,
  );
}
