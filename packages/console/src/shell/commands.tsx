import { useEffect, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { useCommon } from '../texts/common.ts';
import { SearchIcon } from '../ui/icons.tsx';
import type { Target } from './command-target.ts';
import style from './commands.module.css';

type Dialog = typeof import('./commands-dialog.tsx').default;

/** Opens the command dialog, also by Ctrl K or ⌘ K. */
export function Commands({ storeId, places }: { storeId: string | null; places: readonly Target[] }) {
  const words = useCommon();
  const [isOpen, setOpen] = useState(false);
  const [Dialog, setDialog] = useState<Dialog | null>(null);
  // Loads the dialog in advance, so that it catches keystrokes that follow the shortcut immediately.
  useEffect(() => {
    if (!Dialog)
      import('./commands-dialog.tsx').then(
        (module) => setDialog(() => module.default),
        () => {},
      );
  }, [Dialog, isOpen]);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      // The rich-text editor has used the keys for a link.
      if (event.defaultPrevented) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', open);
    return () => window.removeEventListener('keydown', open);
  }, []);
  return (
    <>
      <AriaButton
        className={style.opener!}
        onPress={() => setOpen(true)}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <SearchIcon />
        <span>{words.commands}</span>
        <small aria-hidden="true">{words.commandsKey}</small>
      </AriaButton>
      {isOpen && Dialog && <Dialog storeId={storeId} places={places} close={() => setOpen(false)} />}
    </>
  );
}
