import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import style from './rich-text-bar.module.css';
import { richTextTexts } from './rich-text-texts.ts';

/** The fields of a link. They are not a form of their own: they may be inside one, which Enter would submit. */
export function LinkFields({
  isLinked,
  initialAddress,
  find,
  onSet,
  onCancel,
}: {
  isLinked: boolean;
  /** Empty also for a link to a thing of the store, which has no address to type. */
  initialAddress: string;
  find(typed: string, picksFirst: boolean): ReactNode;
  /** Sets the address, or removes the link for null. Returns false if the text is no address. */
  onSet(typed: string | null): boolean;
  onCancel(): void;
}) {
  const words = useTexts(richTextTexts);
  const [address, setAddress] = useState(initialAddress);
  /** Once a name is confirmed, the first thing of that name is picked, even if it is found only later. */
  const [picksFirst, setPicksFirst] = useState(false);
  const set = () => {
    const typed = address.trim();
    if (typed === initialAddress) onCancel();
    else if (!onSet(typed === '' ? null : typed)) setPicksFirst(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the field and its results
    <div className={style.link} onKeyDown={moveFocus}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the user opened it to type
        autoFocus
        type="text"
        inputMode="url"
        aria-label={words.address}
        title={isLinked && initialAddress === '' ? words.linksToThing : undefined}
        placeholder="https://"
        value={address}
        onChange={(event) => {
          setAddress(event.target.value);
          setPicksFirst(false);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') set();
          else if (event.key === 'Escape') onCancel();
          else if (event.key === 'ArrowDown') return;
          else return event.stopPropagation();
          event.stopPropagation();
          event.preventDefault();
        }}
      />
      <Button size="small" onPress={set}>
        {words.setLink}
      </Button>
      {isLinked && (
        <Button size="small" look="quiet" onPress={() => onSet(null)}>
          {words.removeLink}
        </Button>
      )}
      {find(address, picksFirst)}
    </div>
  );
}

/** Moves the focus from the field to its results and between them. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, ul button')];
  const next = stops.indexOf(event.target as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1);
  event.preventDefault();
  event.stopPropagation();
  stops[next]?.focus();
}
