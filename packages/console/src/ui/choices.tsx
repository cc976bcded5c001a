import type { ReactNode } from 'react';
import { CheckboxGroup as AriaCheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { RadioGroup as AriaRadioGroup, Radio } from 'react-aria-components/RadioGroup';
import { type Choice, FieldFrame, type Named } from './field.tsx';
import style from './fields.module.css';
import { useIsSent } from './sent.ts';

// Exported from files of their own, so that a screen with one checkbox or switch does not load the groups.
export { Checkbox } from './checkbox.tsx';
export { Switch } from './switch.tsx';

/** Several choices at once; `value` holds the ids of the checked boxes. */
export function CheckboxGroup({
  label,
  hint,
  isReadOnly,
  children,
  ...props
}: Named & { value: string[]; onChange(value: string[]): void; children: ReactNode; isDisabled?: boolean }) {
  return (
    <AriaCheckboxGroup
      {...props}
      isDisabled={isReadOnly || props.isDisabled}
      isReadOnly={useIsSent()}
      className={style.field}
    >
      <FieldFrame label={label} hint={hint}>
        <div className={style.group}>{children}</div>
      </FieldFrame>
    </AriaCheckboxGroup>
  );
}

/** One of two to four choices that should all be visible. */
export function RadioGroup<Id extends string>({
  label,
  hint,
  choices,
  value,
  onChange,
  isReadOnly,
  ...props
}: Named & { choices: readonly Choice<Id>[]; value: Id; onChange(value: Id): void; isDisabled?: boolean }) {
  return (
    <AriaRadioGroup
      {...props}
      isDisabled={isReadOnly || props.isDisabled}
      isReadOnly={useIsSent()}
      value={value}
      onChange={(next) => onChange(next as Id)}
      className={style.field}
    >
      <FieldFrame label={label} hint={hint}>
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
      </FieldFrame>
    </AriaRadioGroup>
  );
}
