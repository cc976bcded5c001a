import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Popover } from 'react-aria-components/Popover';
import { Tooltip, TooltipTrigger } from 'react-aria-components/Tooltip';
import { Button, IconButton } from './button.tsx';
import { CrossIcon, MoreIcon } from './icons.tsx';
import style from './overlays.module.css';
import { useUiTexts } from './texts.ts';
import { TypedContext } from './typed.ts';

/**
 * A modal dialog. Escape and a click outside close it, unless it requires an answer. If something was typed into its
 * form, a click outside does nothing, and Escape asks first.
 */
export function Dialog({
  title,
  isOpen,
  onClose,
  isAlert = false,
  size = 'medium',
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose(): void;
  isAlert?: boolean;
  size?: 'small' | 'medium' | 'large';
  children: ReactNode;
}) {
  const texts = useUiTexts();
  const dialog = useRef<HTMLElement>(null);
  const isTyped = useRef(false);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (!isOpen) isTyped.current = false;
  }, [isOpen]);
  // The dialog stays open while its form is being sent: the server may still refuse it, and the input would be lost.
  const isSending = () => dialog.current?.querySelector('form [data-pending]');
  const closeUnlessSending = () => isSending() || onClose();
  const closeOrAskFirst = () => (isTyped.current ? isSending() || setAsking(true) : closeUnlessSending());
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && closeOrAskFirst()}
      isDismissable={!isAlert}
      shouldCloseOnInteractOutside={() => !isTyped.current}
      // React Aria would return the focus only with the next frame, and keys pressed until then would be lost.
      onMouseDown={(event) => event.target === event.currentTarget && event.preventDefault()}
      className={style.overlay!}
    >
      <Modal className={`${style.modal} ${style[size]}`}>
        <AriaDialog ref={dialog} role={isAlert ? 'alertdialog' : 'dialog'} className={style.dialog!}>
          <header className={style.head}>
            <Heading slot="title">{title}</Heading>
            {!isAlert && (
              <IconButton label={texts.close} onPress={closeUnlessSending}>
                <CrossIcon />
              </IconButton>
            )}
          </header>
          <TypedContext value={isTyped}>{children}</TypedContext>
          {isAsking && (
            <ConfirmDialog
              title={texts.discardTitle}
              confirm={texts.discard}
              cancel={texts.keepEditing}
              isOpen
              onClose={() => setAsking(false)}
              onConfirm={onClose}
            >
              {texts.discardHint}
            </ConfirmDialog>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The row of buttons at the end of a dialog or form. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className={style.actions}>{children}</div>;
}

/** Asks for confirmation of an action that cannot be undone. The dialog stays open until `onConfirm` settles. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  cancel,
  isOpen,
  onClose,
  onConfirm,
  isDanger = true,
}: {
  title: string;
  children: ReactNode;
  /** Label of the confirm button: the action itself, never "OK". */
  confirm: string;
  /** Label of the cancel button, where "Cancel" could be mistaken for the action. */
  cancel?: string;
  isOpen: boolean;
  onClose(): void;
  onConfirm(): Promise<unknown> | void;
  isDanger?: boolean;
}) {
  const texts = useUiTexts();
  const [isPending, setPending] = useState(false);
  async function run() {
    setPending(true);
    try {
      await onConfirm();
      onClose();
    } catch {
      // `onConfirm` has already reported the failure; the dialog stays open.
    } finally {
      setPending(false);
    }
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} isAlert size="small">
      <div className={style.body}>{children}</div>
      <Actions>
        <Button onPress={onClose} isDisabled={isPending} autoFocus>
          {cancel ?? texts.cancel}
        </Button>
        <Button look={isDanger ? 'danger' : 'primary'} isPending={isPending} onPress={run}>
          {confirm}
        </Button>
      </Actions>
    </Dialog>
  );
}

export interface MenuAction {
  id: string;
  text: string;
  onAction?(): void;
  /** Link target; used instead of an action. */
  href?: string;
  /** The link leaves the console and opens in a new tab. */
  isExternal?: boolean;
  isDanger?: boolean;
  isDisabled?: boolean;
}

/** Further actions for an item, behind a three-dot button. `label` names the item. */
export function ActionMenu({ label, actions }: { label: string; actions: readonly MenuAction[] }) {
  if (actions.length === 0) return null;
  return (
    <MenuTrigger>
      <IconButton label={label}>
        <MoreIcon />
      </IconButton>
      <MenuPopover actions={actions} />
    </MenuTrigger>
  );
}

/** The list of a menu, for menus with another trigger than the three dots. */
export function MenuPopover({ actions }: { actions: readonly MenuAction[] }) {
  return (
    <Popover className={style.popover!} placement="bottom end">
      <AriaMenu className={style.menu!} items={actions}>
        {(action) => (
          <MenuItem
            id={action.id}
            {...(action.onAction && { onAction: action.onAction })}
            {...(action.href && { href: action.href })}
            {...(action.isExternal && { target: '_blank', rel: 'noreferrer' })}
            isDisabled={action.isDisabled ?? false}
            textValue={action.text}
            className={`${style.item} ${action.isDanger ? style.dangerous : ''}`}
          >
            {action.text}
          </MenuItem>
        )}
      </AriaMenu>
    </Popover>
  );
}

/** A tooltip for a control, shown on hover and on keyboard focus. */
export function WithTooltip({ text, children }: { text: string; children: ReactNode }) {
  return (
    <TooltipTrigger delay={500}>
      {children}
      <Tooltip className={style.tooltip!}>{text}</Tooltip>
    </TooltipTrigger>
  );
}
