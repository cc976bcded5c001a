import type { KeyboardEvent, ReactNode } from 'react';
import { Input } from 'react-aria-components/Input';
import { TextArea } from 'react-aria-components/TextArea';
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components/TextField';
import { FieldFrame, type Named } from './field.tsx';
import style from './fields.module.css';
import { useIsSent } from './sent.ts';

export interface TextFieldProps
  extends Named,
    Pick<
      AriaTextFieldProps,
      | 'type'
      | 'isRequired'
      | 'isDisabled'
      | 'isReadOnly'
      | 'autoComplete'
      | 'autoFocus'
      | 'inputMode'
      | 'maxLength'
      | 'minLength'
      | 'pattern'
      | 'spellCheck'
      | 'onBlur'
      | 'validate'
    > {
  value: string;
  onChange(value: string): void;
  /** Other keys still reach the elements around the field. */
  onKeyDown?(event: KeyboardEvent): void;
  placeholder?: string;
  /** More than 1 makes a multi-line field. */
  rows?: number;
  /** Shown in the field's row, after the input. */
  after?: ReactNode;
  isCode?: boolean;
}

/** Without a maximum, the browser takes years of six digits, which a slip of the keyboard makes. */
const latest: Readonly<Record<string, string>> = {
  date: '9999-12-31',
  'datetime-local': '9999-12-31T23:59',
};

export function TextField({
  label,
  hint,
  placeholder,
  rows = 1,
  after,
  isCode,
  onKeyDown,
  ...props
}: TextFieldProps) {
  const control = `${style.input} ${isCode ? style.code : ''}`;
  // The text's own language decides its direction, not the language of the console.
  const dir = isCode ? undefined : 'auto';
  const isSent = useIsSent();
  return (
    <AriaTextField {...props} isReadOnly={isSent || props.isReadOnly} className={style.field}>
      <FieldFrame label={label} hint={hint}>
        <div className={style.row}>
          {rows > 1 ? (
            <TextArea
              className={`${control} ${style.area}`}
              rows={rows}
              placeholder={placeholder}
              dir={dir}
              {...(onKeyDown && { onKeyDown })}
            />
          ) : (
            <Input
              className={control}
              placeholder={placeholder}
              dir={dir}
              max={latest[props.type ?? '']}
              {...(onKeyDown && { onKeyDown })}
            />
          )}
          {after}
        </div>
      </FieldFrame>
    </AriaTextField>
  );
}
