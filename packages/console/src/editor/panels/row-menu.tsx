import { useState } from 'react';
import { MenuTrigger } from 'react-aria-components/Menu';
import { IconButton } from '../../ui/button.tsx';
import { MoreIcon } from '../../ui/icons.tsx';
import { MenuPopover } from '../../ui/overlays.tsx';
import { listNodeActions } from '../workbench/actions.ts';
import { useWorkbench } from '../workbench/workbench.ts';

/** A menu of actions on the selection; opening it selects the row's node unless it is selected already. */
export function RowMenu({ id, label }: { id: string; label: string }) {
  const workbench = useWorkbench();
  const { editor } = workbench;
  const [isOpen, setOpen] = useState(false);
  function open(next: boolean) {
    if (next && !editor.state.selection.includes(id)) editor.select([id]);
    setOpen(next);
  }
  // Computed only for the open menu out of 5,000 rows.
  const actions = isOpen ? listNodeActions(workbench) : [];
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={open}>
      <IconButton label={label}>
        <MoreIcon />
      </IconButton>
      <MenuPopover actions={actions.map(({ run, ...action }) => ({ ...action, onAction: run }))} />
    </MenuTrigger>
  );
}
