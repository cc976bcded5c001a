import { Button } from 'react-aria-components/Button';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { type Choice, FieldFrame, type Named } from './field.tsx';
import style from './fields.module.css';
import { CheckIcon, ChevronIcon } from './icons.tsx';
import { useIsSent } from './sent.ts';

export interface SelectProps<Id extends string> extends Omit<Named, 'label'> {
  label: string;
  /** Only screen readers get the label. */
  isLabelHidden?: boolean;
  choices: readonly Choice<Id>[];
  value: Id | null;
  onChange(value: Id): void;
  placeholder?: string;
  isDisabled?: boolean;
  isRequired?: boolean;
}

/** A choice from a short list. */
export function Select<Id extends string>({
  label,
  isLabelHidden,
  hint,
  choices,
  value,
  onChange,
  placeholder,
  isReadOnly,
  ...props
}: SelectProps<Id>) {
  const isSent = useIsSent();
  const control = (
    <>
      <Button className={`${style.input} ${style.select}`}>
        <SelectValue className={style.selectValue}>
          {({ selectedText }) =>
            selectedText ?? <span className={style.placeholder}>{placeholder ?? '—'}</span>
          }
        </SelectValue>
        <ChevronIcon />
      </Button>
      <Popover className={style.popover!}>
        <ListBox className={style.list!} items={choices}>
          {(choice) => (
            <ListBoxItem id={choice.id} textValue={choice.text} className={style.option!}>
              <span>
                {choice.text}
                {choice.detail && <small className={style.detail}>{choice.detail}</small>}
              </span>
              <CheckIcon />
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </>
  );
  return (
    <AriaSelect
      {...props}
      isDisabled={isSent || isReadOnly || props.isDisabled}
      {...(isLabelHidden && { 'aria-label': label })}
      value={value}
      onChange={(key) => key !== null && onChange(key as Id)}
      className={style.field}
    >
      {isLabelHidden ? (
        control
      ) : (
        <FieldFrame label={label} hint={hint}>
          {control}
        </FieldFrame>
      )}
    </AriaSelect>
  );
}
