import { type ReactNode, useState } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import style from './rich-text-bar.module.css';
import { richTextTexts } from './rich-text-texts.ts';

/** The fields of a link. They are not a form of their own: they may be inside one, which Enter would submit. */
export function LinkFields({
  href,
  find,
  onSet,
  onCancel,
}: {
  href: unknown;
  find(typed: string): ReactNode;
  onSet(href: string | null): void;
  onCancel(): void;
}) {
  const words = useTexts(richTextTexts);
  const [address, setAddress] = useState(typeof href === 'string' ? href : '');
  const isThing = href !== null && typeof href === 'object';
  const set = () => onSet(address.trim() === '' ? null : address.trim());
  return (
    <div className={style.link}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the user opened it to type
        autoFocus
        type="text"
        inputMode="url"
        aria-label={words.address}
        title={isThing ? words.linksToThing : undefined}
        placeholder="https://"
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Escape') onCancel();
          if (event.key !== 'Enter') return;
          event.preventDefault();
          set();
        }}
      />
      <Button size="small" onPress={set}>
        {words.setLink}
      </Button>
      {href !== null && (
        <Button size="small" look="quiet" onPress={() => onSet(null)}>
          {words.removeLink}
        </Button>
      )}
      {find(address)}
    </div>
  );
}
