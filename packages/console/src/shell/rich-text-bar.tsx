import { lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { useTexts } from '../texts/texts.ts';
import { type PlainTool, plainTools, type RichTextTools } from './rich-text.ts';
import style from './rich-text-bar.module.css';
import { richTextTexts } from './rich-text-texts.ts';

const loadFields = () => import('./rich-text-link.tsx');
const LinkFields = lazy(async () => ({ default: (await loadFields()).LinkFields }));

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
 * What can be done with the selected part of a rich text, which keeps its focus meanwhile. Other links than addresses are objects.
 */
export function RichTextBar<Href>({
  tools: rich,
  hrefOf = (typed) => typed,
  find,
}: {
  tools: RichTextTools<Href | string>;
  /** What an address that is typed leads to. */
  hrefOf?(typed: string): Href | string;
  /** What can be linked to by the name that is typed. */
  find?(typed: string, onPick: (href: Href) => void): ReactNode;
}) {
  const words = useTexts(richTextTexts);
  const { active, possible, href } = useSyncExternalStore(rich.subscribe, () => rich.state);
  const [isLinking, setLinking] = useState(false);
  // The field is there before it opens: what is typed next is meant for it, not for the text.
  useEffect(() => {
    loadFields().catch(() => {});
    return rich.onLinkKey(() => void loadFields().then(() => setLinking(true)));
  }, [rich]);
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
          // No text: what is read out are the words.
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
            href={href}
            find={(typed) =>
              find?.(typed, (next) => {
                rich.link(next, typed);
                setLinking(false);
              })
            }
            onSet={(next) => {
              rich.link(next === null ? null : hrefOf(next), next ?? undefined);
              setLinking(false);
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
