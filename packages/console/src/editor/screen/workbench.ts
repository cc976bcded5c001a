import type { Breakpoint, DocumentSources, Problem } from '@waybill/page';
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { EditorWords } from '../../texts/en/editor.ts';
import type { CanvasHandle } from '../canvas/handle.ts';
import type { InsertPlace } from '../core/drop.ts';
import type { Editor, EditorState } from '../core/editor.ts';
import type { SaveQueue } from '../core/save-queue.ts';
import type { Shared } from './store.ts';
import type { Subject } from './subjects.ts';
import type { Translations } from './translations.ts';

/** The parts of the screen, in the order in which F6 goes round. */
export const panes = ['toolbar', 'left', 'canvas', 'right'] as const;
export type Pane = (typeof panes)[number];

/** What is open over the screen. */
export type Sheet =
  | { readonly is: 'insert'; readonly at?: InsertPlace; readonly isSection?: boolean }
  | { readonly is: 'rename'; readonly id: string }
  | { readonly is: 'moveTo' }
  | { readonly is: 'help' }
  | { readonly is: 'publish' }
  | { readonly is: 'revisions' }
  | { readonly is: 'section' }
  | { readonly is: 'detach' };

/** Something that is wrong with the document, or that a merchant should look at. */
export interface ShownProblem {
  /** The node to select; null: no node of this document. */
  readonly id: string | null;
  /** Below the node, such as `/props/style/mobile/fontSize`; the control there says it. */
  readonly pointer?: string;
  readonly tone: 'bad' | 'warn';
  readonly message: string;
}

export interface ViewState {
  readonly width: Breakpoint;
  /** How large the page is shown: a factor, or as large as fits. */
  readonly zoom: number | 'fit';
  /** The factor that it is shown by now. */
  readonly scale: number;
  /** BCP 47; null: the language that the page is written in. */
  readonly locale: string | null;
  /** The node whose text is being typed on the canvas. */
  readonly editingId: string | null;
  /** What the panels at the left and the right show. */
  readonly left: 'sections' | 'layers' | 'insert';
  readonly right: 'inspector' | 'page' | 'problems';
  /** Where the window is too narrow for all three: the one that is shown. */
  readonly narrow: 'left' | 'canvas' | 'right';
  readonly sheet: Sheet | null;
  readonly problems: readonly ShownProblem[];
}

/** What the document is drawn with; read again when what it refers to, or the language, changes. */
export interface SourcesStore {
  /** Undefined until it has been read once. */
  readonly state: DocumentSources | undefined;
  /** Why there is nothing to draw with. */
  readonly error: unknown;
  /** Whether an element on the canvas waits for its data. */
  readonly isLoading: boolean;
  subscribe(watcher: () => void): () => void;
  /** Settled when it is read, or could not be. */
  reload(): Promise<void>;
  /** Shows a translation before it is stored and read. */
  showText(entityId: string, field: string, text: string): void;
}

/** One open document, and all that the parts of the editor share; `words` in the language that is chosen now. */
export interface Workbench extends WorkbenchCore {
  readonly words: EditorWords;
  /** Opens the global section that a node refers to where it stands; it becomes what the screen edits. */
  enter(referenceId: string): void;
}

/** The document around a global section that is edited where it stands. */
export interface Around {
  readonly workbench: WorkbenchCore;
  /** The node in it that stands for the section. */
  readonly referenceId: string;
  /** Stores the section and goes back to the document around, where these are selected. */
  leave(selected?: readonly string[]): void;
}

export interface WorkbenchCore {
  readonly storeId: string;
  readonly subject: Subject;
  readonly editor: Editor;
  readonly view: Shared<ViewState>;
  readonly sources: SourcesStore;
  readonly queue: SaveQueue;
  readonly translations: Translations;
  readonly canvas: CanvasHandle;
  /** Null: what is edited is on the canvas by itself. */
  readonly around: Around | null;
  /** Whether the member's role lets them change it. */
  readonly canWrite: boolean;
  /** Says something to those who do not see the screen. */
  announce(text: string): void;
  /** Shows why something was refused. */
  refuse(problem: Problem): void;
  /** Puts a file into the store's media and gives its id; undefined: it failed, and that has been said. */
  upload(file: File): Promise<string | undefined>;
  /**
   * Writes a text in the language of `view.state.locale` instead of in the document: `entityId` and `field` as
   * `TreeNode.entityId` and `text`, `label`, … An empty text takes the translation away.
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
 * The document as it is now. While a text is typed on the canvas, what watches by this is told when typing rests: a
 * letter costs the canvas alone.
 */
export function useEditorState(): EditorState {
  const { editor, view } = useWorkbench();
  const subscribe = useCallback(
    (watcher: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = editor.subscribe((_, changes) => {
        clearTimeout(timer);
        if (view.state.editingId === null || changes.length === 0) watcher();
        else timer = setTimeout(watcher, calmMs);
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

const calmMs = 250;

export function useView(): ViewState {
  const { view } = useWorkbench();
  return useSyncExternalStore(view.subscribe, () => view.state);
}

export function useSources(): DocumentSources | undefined {
  const { sources } = useWorkbench();
  return useSyncExternalStore(
    (watcher) => sources.subscribe(watcher),
    () => sources.state,
  );
}
