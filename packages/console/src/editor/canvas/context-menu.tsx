import { useRef } from 'react';
import { Menu as AriaMenu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import overlays from '../../ui/overlays.module.css';
import type { Action } from '../workbench/actions.ts';
import { useCanvasTexts } from '../workbench/canvas-texts.ts';
import style from './canvas.module.css';

/** An open menu: a point of the window and the actions for the selection. */
export interface OpenMenu {
  x: number;
  y: number;
  actions: Action[];
}

/** The actions for the selection, at a point of the canvas. */
export function ContextMenu({ menu, onClose }: { menu: OpenMenu | null; onClose(): void }) {
  const words = useCanvasTexts();
  const anchor = useRef<HTMLDivElement>(null);
  return (
    <>
      <div
        ref={anchor}
        className={style.menu}
        style={{ insetInlineStart: menu?.x ?? 0, insetBlockStart: menu?.y ?? 0 }}
      />
      <Popover
        triggerRef={anchor}
        isOpen={menu !== null}
        onOpenChange={(isOpen) => !isOpen && onClose()}
        placement="bottom start"
        className={overlays.popover!}
      >
        <AriaMenu
          aria-label={words.menu}
          autoFocus="first"
          className={overlays.menu!}
          items={menu?.actions ?? []}
          onClose={onClose}
        >
          {({ id, text, isDanger = false, isDisabled = false, run }) => (
            <MenuItem
              id={id}
              textValue={text}
              isDisabled={isDisabled}
              onAction={run}
              className={`${overlays.item} ${isDanger ? overlays.dangerous : ''}`}
            >
              {text}
            </MenuItem>
          )}
        </AriaMenu>
      </Popover>
    </>
  );
}
