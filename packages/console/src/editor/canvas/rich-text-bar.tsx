import type { Json } from '@waybill/page';
import { useState, useSyncExternalStore } from 'react';
import type { CanvasWords } from '../../texts/en/editor-canvas.ts';
import { Button } from '../../ui/button.tsx';
import style from './canvas.module.css';
import type { RichTextTools, Tool } from './rich-text.ts';

const tools: readonly (readonly [tool: Exclude<Tool, 'link'>, sign: string])[] = [
  ['bold', 'B'],
  ['italic', 'I'],
  ['underline', 'U'],
  ['strike', 'S'],
  ['code', '<>'],
  ['paragraph', '¶'],
  ['heading2', 'H2'],
  ['heading3', 'H3'],
  ['bulletList', '•'],
  ['orderedList', '1.'],
  ['blockquote', '“”'],
];

/** What can be done with the selected part of a rich text; the text keeps its focus meanwhile. */
export function RichTextBar({
  tools: rich,
  words,
  at,
}: {
  tools: RichTextTools;
  words: CanvasWords['richText'];
  at: { left: number; top: number };
}) {
  const { active, possible, href } = useSyncExternalStore(rich.subscribe, () => rich.state);
  const [isLinking, setLinking] = useState(false);
  const keepFocus = (event: React.MouseEvent) => event.preventDefault();
  return (
    <div
      role="toolbar"
      aria-label={words.bar}
      data-rich-text-bar
      className={style.bar}
      style={{ insetInlineStart: at.left, insetBlockStart: at.top }}
    >
      {tools.map(([tool, sign]) => (
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
        >
          {sign}
        </button>
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
        <LinkForm
          href={href}
          words={words}
          onSet={(next) => {
            rich.link(next);
            setLinking(false);
          }}
          onCancel={() => {
            setLinking(false);
            rich.focus();
          }}
        />
      )}
    </div>
  );
}

function LinkForm({
  href,
  words,
  onSet,
  onCancel,
}: {
  href: Json | null;
  words: CanvasWords['richText'];
  onSet(href: Json | null): void;
  onCancel(): void;
}) {
  const [address, setAddress] = useState(typeof href === 'string' ? href : '');
  const isThing = href !== null && typeof href === 'object';
  return (
    <form
      className={style.link}
      onSubmit={(event) => {
        event.preventDefault();
        onSet(address.trim() === '' ? null : address.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
        event.stopPropagation();
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the form was opened to type in it
        autoFocus
        type="text"
        inputMode="url"
        aria-label={words.address}
        title={isThing ? words.linksToThing : undefined}
        placeholder="https://"
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      />
      <Button size="small" type="submit">
        {words.setLink}
      </Button>
      {href !== null && (
        <Button size="small" look="quiet" onPress={() => onSet(null)}>
          {words.removeLink}
        </Button>
      )}
    </form>
  );
}
