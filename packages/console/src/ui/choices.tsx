import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox } from 'react-aria-components/Checkbox';
import { CheckboxGroup as AriaCheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { RadioGroup as AriaRadioGroup, Radio } from 'react-aria-components/RadioGroup';
import { Switch as AriaSwitch } from 'react-aria-components/Switch';
import { Around, type Choice, type Named } from './field.tsx';
import style from './fields.module.css';
import { CheckIcon } from './icons.tsx';

export function Checkbox({
  label,
  hint,
  value,
  onChange,
  id,
  ...props
}: {
  label: ReactNode;
  hint?: ReactNode;
  /** Whether it is checked; within a group the group knows. */
  value?: boolean;
  onChange?(value: boolean): void;
  /** Within a group: what it stands for. */
  id?: string;
  isDisabled?: boolean;
  isIndeterminate?: boolean;
}) {
  return (
    <AriaCheckbox
      {...props}
      {...(value !== undefined && { isSelected: value })}
      {...(onChange && { onChange })}
      {...(id !== undefined && { value: id })}
      className={style.check}
    >
      <span className={style.box}>
        <CheckIcon />
      </span>
      <span>
        {label}
        {hint && <small className={style.detail}>{hint}</small>}
      </span>
    </AriaCheckbox>
  );
}

/** Some of several: `value` holds the ids of the checked boxes. */
export function CheckboxGroup({
  label,
  hint,
  children,
  ...props
}: Named & { value: string[]; onChange(value: string[]): void; children: ReactNode; isDisabled?: boolean }) {
  return (
    <AriaCheckboxGroup {...props} className={style.field}>
      <Around label={label} hint={hint}>
        <div className={style.group}>{children}</div>
      </Around>
    </AriaCheckboxGroup>
  );
}

/** One of two to four that are worth seeing at once. */
export function RadioGroup<Id extends string>({
  label,
  hint,
  choices,
  value,
  onChange,
  ...props
}: Named & { choices: readonly Choice<Id>[]; value: Id; onChange(value: Id): void; isDisabled?: boolean }) {
  return (
    <AriaRadioGroup
      {...props}
      value={value}
      onChange={(next) => onChange(next as Id)}
      className={style.field}
    >
      <Around label={label} hint={hint}>
        <div className={style.group}>
          {choices.map(({ id, text, detail }) => (
            <Radio key={id} value={id} className={style.check!}>
              <span className={`${style.box} ${style.round}`} />
              <span>
                {text}
                {detail && <small className={style.detail}>{detail}</small>}
              </span>
            </Radio>
          ))}
        </div>
      </Around>
    </AriaRadioGroup>
  );
}

export function Switch({
  label,
  value,
  onChange,
  ...props
}: {
  label: ReactNode;
  value: boolean;
  onChange(value: boolean): void;
  isDisabled?: boolean;
}) {
  return (
    <AriaSwitch {...props} isSelected={value} onChange={onChange} className={style.check}>
      <span className={style.track} />
      {label}
    </AriaSwitch>
  );
}
