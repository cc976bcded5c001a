import type { ReactNode } from 'react';
import { RadioGroup as AriaRadioGroup, Radio } from 'react-aria-components/RadioGroup';
import style from './segments.module.css';

/** A choice between a few options in a row. Screen readers get `label`, and the text of options shown as icons. */
export function Segments<Id extends string>({
  label,
  choices,
  value,
  onChange,
  isDisabled = false,
  isInherited = false,
}: {
  label: string;
  choices: readonly { id: Id; text: string; icon?: ReactNode }[];
  /** Null: none is chosen. */
  value: Id | null;
  onChange(value: Id): void;
  isDisabled?: boolean;
  /** The value is inherited, not set here: it is shown paler and can be set. */
  isInherited?: boolean;
}) {
  return (
    <AriaRadioGroup
      aria-label={label}
      orientation="horizontal"
      value={value}
      isDisabled={isDisabled}
      onChange={(next) => onChange(next as Id)}
      className={style.segments!}
      data-inherited={isInherited}
    >
      {choices.map(({ id, text, icon }) => (
        <Radio key={id} value={id} className={style.segment!} {...(icon && { 'aria-label': text })}>
          {icon ?? text}
        </Radio>
      ))}
    </AriaRadioGroup>
  );
}
