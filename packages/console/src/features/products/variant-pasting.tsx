import { productLimits } from '@waybill/contracts/product-limits';
import { type ClipboardEvent, useState } from 'react';
import { useStore } from '../../api/me.ts';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Notice } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { blankVariant, type Variant } from './options.ts';
import type { PasteProblem } from './paste.ts';
import { findPasteColumn, type PasteColumn } from './paste-columns.ts';
import { useProductTexts } from './texts.ts';

/** Whether a pasted text comes from a spreadsheet, that is, has more than one cell. */
const isTable = (text: string) => /[\t\n]/.test(text.trim());

/** State and actions of pasting rows of a spreadsheet into the grid of variants. */
export function usePasting(variants: readonly Variant[], onChange: (variants: Variant[]) => void) {
  const words = useProductTexts();
  const store = useStore();
  const [fault, setFault] = useState<readonly string[]>([]);
  const describe = ({ row, column, value: cell }: PasteProblem) =>
    words.pasteProblem({ row, column: words.pasteColumns[column], value: cell });

  /** Pastes rows; returns false if nothing was pasted, after showing the reason. */
  async function paste(text: string, position: number, column: PasteColumn): Promise<boolean> {
    const { readPasted } = await import('./paste.ts');
    const { variants: pasted, problems } = readPasted(text, column, store.currency);
    const count = Math.max(variants.length, position + pasted.length);
    if (problems.length > 0 || count > productLimits.variants) {
      setFault(
        count > productLimits.variants ? [words.tooManyVariants] : problems.slice(0, 10).map(describe),
      );
      return false;
    }
    setFault([]);
    const rows = Array.from({ length: count }, (_, at) => ({
      ...(variants[at] ?? blankVariant),
      ...pasted[at - position],
    }));
    onChange(rows);
    return true;
  }

  return {
    /** The reasons why the last rows were not pasted. */
    fault,
    clearFault: () => setFault([]),
    paste,
    /** Pastes a table at the field that has the cursor; other texts are left to the field. */
    onPaste(event: ClipboardEvent<HTMLElement>) {
      const text = event.clipboardData.getData('text/plain');
      const field = event.target as HTMLInputElement;
      const row = field.closest('fieldset');
      const column = findPasteColumn(field.name ?? '');
      if (!row || !column || !isTable(text)) return;
      event.preventDefault();
      void paste(text, Number(row.dataset.position), column);
    },
  };
}

/** The reasons why rows were not pasted. */
export function Faults({ fault }: { fault: readonly string[] }) {
  const words = useProductTexts();
  return (
    <Notice tone="bad" title={words.notPasted}>
      <ul>
        {fault.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Notice>
  );
}

/** Pastes rows through a text field, for users who want to check them first and for screens without the grid. */
export function PasteDialog({
  fault,
  onPaste,
  onClose,
}: {
  fault: readonly string[];
  onPaste(text: string): Promise<boolean>;
  onClose(): void;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const [text, setText] = useState('');
  return (
    <Dialog title={words.pasteRows} isOpen onClose={onClose}>
      <Form onSubmit={() => void onPaste(text).then((isDone) => isDone && onClose())}>
        {fault.length > 0 && <Faults fault={fault} />}
        <TextField
          label={words.rows}
          hint={words.rowsHint}
          rows={8}
          value={text}
          onChange={setText}
          isRequired
          autoFocus
          isCode
        />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit">
            {words.addRows}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
