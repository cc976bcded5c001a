import { type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';
import style from './save-bar.module.css';
import { useUiTexts } from './texts.ts';

/** Saves a form from wherever one is in it: while something is unsaved, it stays in view. */
export function SaveBar({
  label,
  isPending,
  isDirty,
  isReady = isDirty,
  onDiscard,
  children,
}: {
  /** What the button does, where it is not "Save". */
  label?: string | undefined;
  isPending: boolean;
  isDirty: boolean;
  /** Whether it can be saved: as a rule, as soon as something is unsaved. */
  isReady?: boolean;
  /** Missing: there is nothing to go back to. */
  onDiscard?: (() => void) | undefined;
  /** What else can be done here. */
  children?: ReactNode;
}) {
  const texts = useUiTexts();
  const bar = useRef<HTMLDivElement>(null);
  /** The button that discards goes with what it discards: its neighbour takes the focus over. */
  const discard = () => {
    bar.current?.querySelector<HTMLElement>('[type=submit]')?.focus();
    onDiscard?.();
  };
  return (
    <div className={style.place}>
      <div
        ref={bar}
        className={`${style.bar} ${isDirty ? style.unsaved : ''}`}
        data-unsaved={isDirty || undefined}
      >
        {isDirty && <span className={style.state}>{texts.unsaved}</span>}
        {isDirty && onDiscard && (
          <Button isDisabled={isPending} onPress={discard}>
            {texts.discard}
          </Button>
        )}
        <Button look="primary" type="submit" isPending={isPending} isDisabled={!isReady}>
          {label ?? texts.save}
        </Button>
        {children}
      </div>
    </div>
  );
}
