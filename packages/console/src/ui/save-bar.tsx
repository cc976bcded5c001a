import { type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';
import style from './save-bar.module.css';
import { useUiTexts } from './texts.ts';

/** The bar that saves a form. It stays in view while anything is unsaved. */
export function SaveBar({
  label,
  isPending,
  isDirty,
  isReady = isDirty,
  onDiscard,
  children,
}: {
  /** Label of the button, if it is not "Save". */
  label?: string | undefined;
  isPending: boolean;
  isDirty: boolean;
  /** Whether the form can be saved. Defaults to `isDirty`. */
  isReady?: boolean;
  /** Missing: there is nothing to discard. */
  onDiscard?: (() => void) | undefined;
  /** Further actions of the form. */
  children?: ReactNode;
}) {
  const texts = useUiTexts();
  const bar = useRef<HTMLDivElement>(null);
  /** Moves the focus to the save button first, because the discard button disappears with the changes. */
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
