import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyText, Notice } from './layout.tsx';
import { Actions, Dialog } from './overlays.tsx';

/**
 * Shows a secret that cannot be shown again. Only a button closes it, so that a stray click does not lose the secret.
 */
export function SecretDialog({
  title,
  warning,
  done,
  secret,
  onClose,
  children,
}: {
  title: string;
  /** A warning that the secret is shown only once, and what it gives access to. */
  warning: string;
  /** Label of the button that closes the dialog. */
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
