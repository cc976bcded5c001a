import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { type Choice, FieldFrame, type Named } from './field.tsx';
import style from './fields.module.css';
import { ChevronIcon } from './icons.tsx';

/** The label, input and list of a combo box. */
export function ComboParts({
  label,
  hint,
  placeholder,
  empty,
}: Pick<Named, 'label' | 'hint'> & {
  placeholder?: string;
  /** Shown when there are no choices. Without it, no list opens then. */
  empty?: ReactNode;
}) {
  return (
    <>
      <FieldFrame label={label} hint={hint}>
        <div className={style.row}>
          <Input className={style.input!} placeholder={placeholder} />
          <Button className={style.open!}>
            <ChevronIcon />
          </Button>
        </div>
      </FieldFrame>
      <Popover className={style.popover!}>
        <ListBox
          className={style.list!}
          {...(empty !== undefined && { renderEmptyState: () => <p className={style.none}>{empty}</p> })}
        >
          {(choice: Choice<string>) => (
            <ListBoxItem id={choice.id} textValue={choice.text} className={style.option!}>
              <span>
                {choice.text}
                {choice.detail && <small className={style.detail}>{choice.detail}</small>}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </>
  );
}
