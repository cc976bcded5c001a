import type { ReactNode } from 'react';
import { RadioGroup as AriaRadioGroup, Radio } from 'react-aria-components/RadioGroup';
import style from './segments.module.css';

/** One of a few, side by side; `label` is for those who do not see it, and so is the text of what shows an icon. */
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
  /** Null: none of them. */
  value: Id | null;
  onChange(value: Id): void;
  isDisabled?: boolean;
  /** Nobody chose it here: it shows paler, and can be chosen. */
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
