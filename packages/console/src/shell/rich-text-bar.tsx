import { lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { useTexts } from '../texts/texts.ts';
import { type PlainTool, plainTools, type RichTextTools } from './rich-text.ts';
import style from './rich-text-bar.module.css';
import { richTextTexts } from './rich-text-texts.ts';

let loaded: typeof import('./rich-text-link.tsx') | undefined;
/** Loads the fields of a link, so that they open at once. */
export async function loadLinkFields(): Promise<typeof import('./rich-text-link.tsx')> {
  loaded ??= await import('./rich-text-link.tsx');
  return loaded;
}
const LazyLinkFields = lazy(async () => ({ default: (await loadLinkFields()).LinkFields }));

const signs: Readonly<Record<PlainTool, string>> = {
  bold: 'B',
  italic: 'I',
  underline: 'U',
  strike: 'S',
  code: '<>',
  paragraph: '¶',
  heading2: 'H2',
  heading3: 'H3',
  bulletList: '•',
  orderedList: '1.',
  blockquote: '“”',
};

/**
 * The toolbar of a rich text, which keeps its focus and selection. `Href` is the type of links that are not plain
 * addresses.
 */
export function RichTextBar<Href>({
  tools: rich,
  toHref,
  formatAddress = (href) => (typeof href === 'string' ? href : ''),
  find,
}: {
  tools: RichTextTools<Href | string>;
  /** Converts a typed address to a link; undefined if the text is a name to search for. */
  toHref(typed: string): Href | string | undefined;
  /** Returns a link's address as it is typed; empty if the link leads to a thing of the store. */
  formatAddress?(href: Href | string): string;
  /** Renders the link targets that match the typed text. `picksFirst` picks the first as soon as it is found. */
  find(typed: string, onPick: (href: Href, name: string) => void, picksFirst: boolean): ReactNode;
}) {
  const words = useTexts(richTextTexts);
  const { active, possible, href } = useSyncExternalStore(rich.subscribe, () => rich.state);
  const [isLinking, setLinking] = useState(false);
  // The fields load in advance and take the focus before the shortcut returns, so that the next key reaches them and
  // does not replace the selected text.
  useEffect(() => {
    const open = () => flushSync(() => setLinking(true));
    loadLinkFields().catch(() => {});
    return rich.onLinkKey(() => (loaded ? open() : void loadLinkFields().then(open)));
  }, [rich]);
  const LinkFields = loaded?.LinkFields ?? LazyLinkFields;
  const keepFocus = (event: React.MouseEvent) => event.preventDefault();
  return (
    <div role="toolbar" aria-label={words.bar} data-rich-text-bar className={style.bar}>
      {plainTools.map((tool) => (
        <button
          key={tool}
          type="button"
          className={style.tool}
          aria-label={words[tool]}
          title={words[tool]}
          aria-pressed={active.has(tool)}
          disabled={!possible.has(tool)}
          onMouseDown={keepFocus}
          onClick={() => rich.run(tool)}
          // The icon comes from CSS; screen readers announce only the label.
          data-sign={signs[tool]}
        />
      ))}
      <button
        type="button"
        className={style.tool}
        aria-pressed={active.has('link')}
        aria-expanded={isLinking}
        disabled={!possible.has('link')}
        onMouseDown={keepFocus}
        onClick={() => setLinking(!isLinking)}
      >
        {words.link}
      </button>
      {isLinking && (
        <Suspense>
          <LinkFields
            isLinked={href !== null}
            initialAddress={href === null ? '' : formatAddress(href)}
            find={(typed, picksFirst) =>
              find(
                typed,
                (next, name) => {
                  rich.link(next, name);
                  setLinking(false);
                },
                picksFirst,
              )
            }
            onSet={(typed) => {
              const next = typed === null ? null : toHref(typed);
              if (next === undefined) return false;
              rich.link(next, typed ?? undefined);
              setLinking(false);
              return true;
            }}
            onCancel={() => {
              setLinking(false);
              rich.focus();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
