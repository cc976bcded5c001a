import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyText, Notice } from './layout.tsx';
import { Actions, Dialog } from './overlays.tsx';

/** A secret that is shown this once: it takes a click to leave, so that none is lost by one beside the dialog. */
export function SecretDialog({
  title,
  warning,
  done,
  secret,
  onClose,
  children,
}: {
  title: string;
  /** That it cannot be shown again, and what it opens. */
  warning: string;
  /** What the button says that ends it. */
  done: string;
  /** Null: the dialog is closed. */
  secret: string | null;
  onClose(): void;
  children?: ReactNode;
}) {
  return (
    <Dialog title={title} isOpen={secret !== null} onClose={() => {}} isAlert>
      <Notice tone="warn">{warning}</Notice>
      <CopyText text={secret ?? ''} />
      {children}
      <Actions>
        <Button look="primary" onPress={onClose}>
          {done}
        </Button>
      </Actions>
    </Dialog>
  );
}
