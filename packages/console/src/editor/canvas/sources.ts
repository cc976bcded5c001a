import {
  type DocumentSources,
  findListQuery,
  listKey,
  materialiseDocument,
  type PageDocument,
  type PageNode,
  references,
} from '@waybill/page';
import type { Change } from '../core/changes.ts';
import type { Editor } from '../core/editor.ts';
import type { ObservableState } from '../workbench/observable-state.ts';
import { findProblemPlace } from '../workbench/problem-place.ts';
import type { Subject, Warning } from '../workbench/subjects.ts';
import type { SourcesStore, ViewState } from '../workbench/workbench.ts';

interface Options {
  readonly editor: Editor;
  readonly view: ObservableState<ViewState>;
  readonly draw: Subject['draw'];
  /** `document` is the one that has them. */
  onProblems(problems: readonly Warning[], document: PageDocument): void;
}

type Texts = NonNullable<DocumentSources['texts']>;

/** Delay that combines a burst of changes into one request. */
const debounceMs = 150;
/**
 * How often data that others may change (new builds of blocks, global sections) is read again while the page is
 * visible.
 */
const refreshMs = 20_000;
/** Delay of the next attempt after a failure, while an element on the canvas lacks its data. */
const retryMs = 4_000;

/**
 * The data that the document is drawn with. It is read at the start, for another language, when the document refers to
 * data not read yet, and when an element with a problem changes; typing alone causes no read.
 */
export class Sources implements SourcesStore {
  readonly #options: Options;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribers: (() => void)[] = [];
  /** The keys covered by the last answer, as `listKeys` names them. */
  #knownKeys: ReadonlySet<string> = new Set();
  /** The nodes that have a problem by the last answer. */
  #problemIds: ReadonlySet<string | null> = new Set();
  #isLoading = false;
  #state: DocumentSources | undefined;
  /** The last answer, without the typed translations. */
  #loaded: DocumentSources | undefined;
  #typedTexts: Texts = {};
  #error: unknown;
  #locale: string | null;
  #request: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
    const { editor, view } = options;
    this.#locale = view.state.locale;
    this.#unsubscribers.push(
      editor.subscribe((_, changes) => {
        const isMissing = changes.some((change) => this.#isDataMissing(change));
        if (!isMissing && !changes.some(({ id }) => this.#problemIds.has(id))) return;
        if (isMissing) {
          this.#keepLists(changes);
          this.#setLoading(true);
        }
        this.#scheduleReload();
      }),
      view.subscribe(() => {
        if (view.state.locale === this.#locale) return;
        this.#locale = view.state.locale;
        this.#typedTexts = {};
        this.reload();
      }),
    );
    const refresh = () => {
      if (document.visibilityState === 'visible' && this.#refersToOthers()) this.reload();
    };
    const timer = setInterval(refresh, refreshMs);
    window.addEventListener('focus', refresh);
    this.#unsubscribers.push(
      () => clearInterval(timer),
      () => window.removeEventListener('focus', refresh),
    );
    this.reload();
  }

  get state(): DocumentSources | undefined {
    return this.#state;
  }

  /** The reason why there is nothing to draw with; undefined if there is. */
  get error(): unknown {
    return this.#state ? undefined : this.#error;
  }

  /** Whether an element on the canvas is waiting for its data. */
  get isLoading(): boolean {
    return this.#isLoading;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly reload = (): Promise<void> => {
    clearTimeout(this.#timer);
    return this.#ask();
  };

  /**
   * Shows a typed translation at once. It overrides later answers until another language is chosen, because it is
   * newer.
   */
  showText(entityId: string, field: string, text: string): void {
    this.#typedTexts = { ...this.#typedTexts, [entityId]: { ...this.#typedTexts[entityId], [field]: text } };
    if (this.#loaded) this.#set(this.#loaded);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#request?.abort();
    for (const stop of this.#unsubscribers) stop();
  }

  #scheduleReload(delayMs = debounceMs): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.reload, delayMs);
  }

  /** Requests the data. Answers to older requests are dropped. */
  async #ask(): Promise<void> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const { document } = this.#options.editor;
    try {
      const { sources, problems } = await this.#options.draw(document, this.#locale, request.signal);
      if (request.signal.aborted) return;
      this.#knownKeys = new Set(listKeys(document, sources, this.#locale));
      this.#error = undefined;
      this.#problemIds = new Set(problems.map(({ pointer }) => findProblemPlace(document, pointer).id));
      this.#options.onProblems(problems, document);
      if (JSON.stringify(sources) !== JSON.stringify(this.#loaded)) this.#set(sources);
      // An undo during the request may need data that the answer lacks.
      const isComplete = this.#hasAllKeys(listKeys(this.#options.editor.document, sources, this.#locale));
      if (!isComplete || this.#hasProblemChanged(document)) this.#scheduleReload();
      this.#setLoading(!isComplete);
    } catch (error) {
      if (request.signal.aborted) return;
      this.#error = error;
      if (this.#isLoading) this.#scheduleReload(retryMs);
      this.#notify();
    }
  }

  #set(loaded: DocumentSources): void {
    this.#loaded = loaded;
    let { texts } = loaded;
    for (const [entityId, fields] of Object.entries(this.#typedTexts))
      for (const [field, text] of Object.entries(fields))
        texts = withText(texts ?? {}, entityId, field, text);
    this.#state = { ...loaded, ...(texts && { texts }) };
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #setLoading(isLoading: boolean): void {
    if (isLoading === this.#isLoading) return;
    this.#isLoading = isLoading;
    this.#notify();
  }

  #isDataMissing({ after }: Change): boolean {
    return after !== undefined && !this.#hasAllKeys(listNodeKeys(after, this.#state, this.#locale));
  }

  /** Whether a node with a problem has changed since the document was sent. */
  #hasProblemChanged({ nodes }: PageDocument): boolean {
    const { tree } = this.#options.editor.state;
    return nodes.some((node) => this.#problemIds.has(node.id) && tree.nodes.get(node.id) !== node);
  }

  #hasAllKeys(keys: Iterable<string>): boolean {
    for (const key of keys) if (!this.#knownKeys.has(key)) return false;
    return true;
  }

  /** A list whose query has changed shows its old contents until the answer arrives, rather than nothing. */
  #keepLists(changes: readonly Change[]): void {
    let lists = this.#state?.lists ?? {};
    for (const { before, after } of changes) {
      const old = before && findListKey(before);
      const next = after && findListKey(after);
      if (old === undefined || next === undefined || this.#knownKeys.has(next)) continue;
      const currentList = lists[old];
      if (currentList) lists = { ...lists, [next]: currentList };
    }
    if (this.#state && lists !== this.#state.lists) this.#state = { ...this.#state, lists };
  }

  #refersToOthers(): boolean {
    for (const { type } of this.#options.editor.state.tree.nodes.values())
      if (type === 'blockRef' || type === 'sectionRef') return true;
    return false;
  }
}

/** Yields a unique key for everything that a document needs from elsewhere. */
function* listKeys(
  { nodes }: PageDocument,
  sources: DocumentSources | undefined,
  locale: string | null,
): Generator<string> {
  for (const node of nodes) yield* listNodeKeys(node, sources, locale);
}

function* listNodeKeys(
  node: PageNode,
  sources: DocumentSources | undefined,
  locale: string | null,
): Generator<string> {
  const document = { rootId: node.id, nodes: [{ ...node, children: [] }] };
  const { sectionIds, blocks, productIds, mediaIds, pageIds, articleIds, categoryIds } = references(document);
  for (const ids of [sectionIds, blocks.keys(), productIds, mediaIds, pageIds, articleIds, categoryIds])
    yield* ids;
  const list = findListKey(node);
  if (list !== undefined) yield list;
  // The queries of a block's lists depend on its settings.
  const block = node.type === 'blockRef' && sources && materialiseDocument(document, sources);
  if (block) yield* references(block).lists.keys();
  // A deleted element may come back after the language has changed.
  if (locale !== null) yield `node ${node.id}`;
}

function findListKey({ type, props }: PageNode): string | undefined {
  const query = findListQuery({ type, specials: props?.specials ?? {} });
  return query && listKey(query);
}

/** An empty text is no translation, so the original shows. */
function withText(texts: Texts, entityId: string, field: string, text: string): Texts {
  const { [field]: _, ...others } = texts[entityId] ?? {};
  return { ...texts, [entityId]: text === '' ? others : { ...others, [field]: text } };
}
