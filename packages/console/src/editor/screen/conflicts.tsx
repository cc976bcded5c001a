import type { Json } from '@waybill/page';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choices.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import type { Conflict, Side } from '../core/merge.ts';
import { lookUpWord, nodeName } from '../elements/names.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import style from './saving.module.css';

/** Shows the changes of both sides next to each other. */
export default function Conflicts({ conflicts }: { conflicts: readonly Conflict[] }) {
  const workbench = usePanelWorkbench();
  const { words, queue } = workbench;
  const [choices, setChoices] = useState<Readonly<Record<string, Side>>>({});
  return (
    <Dialog title={words.conflictTitle} isOpen onClose={() => {}} isAlert size="large">
      <div className={style.conflicts}>
        <p>{words.conflictHint}</p>
        {conflicts.map(({ key, kind, id, path, mine, theirs, chosenSide: taken }) => (
          <RadioGroup
            key={key}
            label={[
              nodeName(workbench, id),
              path ? lastName(path, words.fields) : (words.conflictKinds[kind] ?? kind),
            ]
              .filter((part) => part !== '')
              .join(' · ')}
            choices={[
              { id: 'mine', text: words.conflictMine, detail: describeValue(mine, words.nothing) },
              { id: 'theirs', text: words.conflictTheirs, detail: describeValue(theirs, words.nothing) },
            ]}
            value={choices[key] ?? taken}
            onChange={(side) => setChoices({ ...choices, [key]: side })}
          />
        ))}
      </div>
      <Actions>
        <Button
          look="primary"
          onPress={() =>
            queue.resolve(
              Object.fromEntries(conflicts.map(({ key, chosenSide: taken }) => [key, choices[key] ?? taken])),
            )
          }
        >
          {words.conflictDone}
        </Button>
      </Actions>
    </Dialog>
  );
}

const lastName = (path: readonly string[] | undefined, fields: Readonly<Record<string, string>>) => {
  const last = path?.at(-1);
  return last === undefined ? '' : lookUpWord(fields, last);
};

function describeValue(value: Json | undefined, nothing: string): string {
  if (value === undefined || value === null || value === '') return nothing;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
