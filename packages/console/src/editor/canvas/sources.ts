import { type DocumentSources, type PageDocument, type PageNode, references } from '@waybill/page';
import type { Editor } from '../model/editor.ts';
import type { Shared } from '../screen/store.ts';
import type { Subject, Warning } from '../screen/subjects.ts';
import type { SourcesStore, ViewState } from '../screen/workbench.ts';

interface Options {
  readonly editor: Editor;
  readonly view: Shared<ViewState>;
  readonly draw: Subject['draw'];
  onProblems(problems: readonly Warning[]): void;
}

type Texts = NonNullable<DocumentSources['texts']>;

/** A burst of changes asks once. */
const quietMs = 150;
/** How often what others may have changed (new builds of blocks, global sections) is read again, while it is seen. */
const freshMs = 20_000;

/**
 * What the document is drawn with: read at the start, in another language, and when the document refers to what was
 * not read yet; kept otherwise, whatever is typed.
 */
export class Sources implements SourcesStore {
  readonly #options: Options;
  readonly #watchers = new Set<() => void>();
  readonly #stops: (() => void)[] = [];
  readonly #known = new Set<string>();
  #state: DocumentSources | undefined;
  /** As they were read last, without what has been typed. */
  #read: DocumentSources | undefined;
  #typed: Texts = {};
  #error: unknown;
  #locale: string | null;
  #asked: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
    const { editor, view } = options;
    this.#locale = view.state.locale;
    this.#stops.push(
      editor.subscribe((_, changes) => {
        if (changes.some(({ after }) => after && this.#hasUnknown(after))) this.#soon();
      }),
      view.subscribe(() => {
        if (view.state.locale === this.#locale) return;
        this.#locale = view.state.locale;
        this.#typed = {};
        this.reload();
      }),
    );
    const freshen = () => {
      if (document.visibilityState === 'visible' && this.#refersToOthers()) this.reload();
    };
    const timer = setInterval(freshen, freshMs);
    window.addEventListener('focus', freshen);
    this.#stops.push(
      () => clearInterval(timer),
      () => window.removeEventListener('focus', freshen),
    );
    this.reload();
  }

  get state(): DocumentSources | undefined {
    return this.#state;
  }

  /** Why there is nothing to draw with; undefined where there is. */
  get error(): unknown {
    return this.#state ? undefined : this.#error;
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly reload = (): Promise<void> => {
    clearTimeout(this.#timer);
    return this.#ask();
  };

  /** Shows a translation at once, and whatever is read until another language is chosen: what was typed is newer. */
  showText(entityId: string, field: string, text: string): void {
    this.#typed = { ...this.#typed, [entityId]: { ...this.#typed[entityId], [field]: text } };
    if (this.#read) this.#set(this.#read);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#asked?.abort();
    for (const stop of this.#stops) stop();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.reload, quietMs);
  }

  /** Answers that were overtaken are dropped: the newest question counts. */
  async #ask(): Promise<void> {
    this.#asked?.abort();
    const asked = new AbortController();
    this.#asked = asked;
    const { document } = this.#options.editor;
    const wanted = [...keysOf(document)];
    try {
      const { sources, problems } = await this.#options.draw(document, this.#locale, asked.signal);
      if (asked.signal.aborted) return;
      for (const key of wanted) this.#known.add(key);
      this.#error = undefined;
      this.#options.onProblems(problems);
      if (JSON.stringify(sources) !== JSON.stringify(this.#read)) this.#set(sources);
    } catch (error) {
      if (asked.signal.aborted) return;
      this.#error = error;
      for (const watcher of [...this.#watchers]) watcher();
    }
  }

  #set(read: DocumentSources): void {
    this.#read = read;
    let { texts } = read;
    for (const [entityId, fields] of Object.entries(this.#typed))
      for (const [field, text] of Object.entries(fields))
        texts = withText(texts ?? {}, entityId, field, text);
    this.#state = { ...read, ...(texts && { texts }) };
    for (const watcher of [...this.#watchers]) watcher();
  }

  #hasUnknown(node: PageNode): boolean {
    for (const key of keysOf({ rootId: node.id, nodes: [node] })) if (!this.#known.has(key)) return true;
    return false;
  }

  #refersToOthers(): boolean {
    for (const { type } of this.#options.editor.state.tree.nodes.values())
      if (type === 'blockRef' || type === 'sectionRef') return true;
    return false;
  }
}

/** What a document refers to, as texts that tell one from another. */
function* keysOf(document: PageDocument): Generator<string> {
  const { sectionIds, blocks, productIds, mediaIds, pageIds } = references(document);
  for (const ids of [sectionIds, blocks.keys(), productIds, mediaIds, pageIds]) yield* ids;
}

/** An empty text is none: the original shows. */
function withText(texts: Texts, entityId: string, field: string, text: string): Texts {
  const { [field]: _, ...others } = texts[entityId] ?? {};
  return { ...texts, [entityId]: text === '' ? others : { ...others, [field]: text } };
}
