import { useState } from 'react';
import { MenuTrigger } from 'react-aria-components/Menu';
import { Button } from '../../../src/ui/button.tsx';
import { Row } from '../../../src/ui/layout.tsx';
import {
  ActionMenu,
  Actions,
  ConfirmDialog,
  Dialog,
  MenuPopover,
  WithTooltip,
} from '../../../src/ui/overlays.tsx';
import { toast } from '../../../src/ui/toasts.tsx';
import { longText, type Part } from '../part.tsx';

function DialogExample({
  size,
  title = 'Add variant',
}: {
  size: 'small' | 'medium' | 'large';
  title?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>Open {size}</Button>
      <Dialog title={title} size={size} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>Press Escape or click outside to close it.</p>
        <Actions>
          <Button onPress={() => setOpen(false)}>Cancel</Button>
          <Button look="primary" onPress={() => setOpen(false)}>
            Add
          </Button>
        </Actions>
      </Dialog>
    </>
  );
}

function ConfirmExample({ isSlow = false }: { isSlow?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="danger" onPress={() => setOpen(true)}>
        Delete product
      </Button>
      <ConfirmDialog
        title="Delete Earl Grey?"
        confirm="Delete"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => new Promise((done) => setTimeout(done, isSlow ? 3000 : 0))}
      >
        Orders keep its name and price.
      </ConfirmDialog>
    </>
  );
}

const actions = [
  { id: 'duplicate', text: 'Duplicate', onAction: () => toast('Duplicated') },
  { id: 'view', text: 'View in shop', href: '#overlays' },
  { id: 'archive', text: 'Archive', isDisabled: true },
  { id: 'long', text: longText },
  { id: 'delete', text: 'Delete', isDanger: true, onAction: () => toast('Deleted', 'bad') },
];

export default {
  title: 'Overlays',
  use: 'Dialogs, menus and tooltips.',
  examples: {
    Dialog: (
      <Row>
        <DialogExample size="small" />
        <DialogExample size="medium" />
        <DialogExample size="large" />
      </Row>
    ),
    'Dialog with a long title': <DialogExample size="small" title={longText} />,
    'Confirm dialog': <ConfirmExample />,
    'Confirm dialog that is busy for three seconds': <ConfirmExample isSlow />,
    'Action menu': <ActionMenu label="Actions for Earl Grey" actions={actions} />,
    'Menu with another trigger': (
      <MenuTrigger>
        <Button>More</Button>
        <MenuPopover actions={actions} />
      </MenuTrigger>
    ),
    Tooltip: (
      <WithTooltip text="Saved a minute ago">
        <Button>Point at me</Button>
      </WithTooltip>
    ),
    'Row of actions': (
      <Actions>
        <Button>Cancel</Button>
        <Button look="primary">Save</Button>
      </Actions>
    ),
  },
} satisfies Part;
