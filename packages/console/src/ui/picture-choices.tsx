import type { ReactNode } from 'react';
import { RadioGroup as AriaRadioGroup, Radio } from 'react-aria-components/RadioGroup';
import { FieldFrame, type Named } from './field.tsx';
import fields from './fields.module.css';
import style from './picture-choices.module.css';
import { useIsSent } from './sent.ts';

/** A choice between options that are recognised by their pictures. */
export function PictureChoices({
  label,
  hint,
  choices,
  value,
  onChange,
  ...props
}: Named & {
  choices: readonly { id: string; text: string; picture: ReactNode }[];
  value: string;
  onChange(value: string): void;
}) {
  return (
    <AriaRadioGroup
      {...props}
      isReadOnly={useIsSent()}
      value={value}
      onChange={onChange}
      className={fields.field!}
    >
      <FieldFrame label={label} hint={hint}>
        <div className={style.choices}>
          {choices.map(({ id, text, picture }) => (
            <Radio key={id} value={id} className={style.choice!}>
              <span className={style.picture}>{picture}</span>
              <span className={style.text}>{text}</span>
            </Radio>
          ))}
        </div>
      </FieldFrame>
    </AriaRadioGroup>
  );
}
