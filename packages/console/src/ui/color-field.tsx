import { Input } from 'react-aria-components/Input';
import { TextField as AriaTextField } from 'react-aria-components/TextField';
import { FieldFrame, type Named } from './field.tsx';
import style from './fields.module.css';

/** A colour that is picked or typed in CSS notation. A `warning` is shown at the field but does not block the form. */
export function ColorField({
  label,
  pickLabel,
  hint,
  warning,
  value,
  onChange,
  ...props
}: Named & {
  /** Accessible name of the picker. */
  pickLabel: string;
  warning?: string | undefined;
  value: string;
  onChange(value: string): void;
  isDisabled?: boolean;
}) {
  const said = warning ? (
    <>
      {hint} <strong className={style.warning}>{warning}</strong>
    </>
  ) : (
    hint
  );
  return (
    <AriaTextField
      {...props}
      value={value}
      onChange={onChange}
      spellCheck="false"
      maxLength={60}
      isRequired
      className={style.field}
    >
      <FieldFrame label={label} hint={said}>
        <div className={style.row}>
          <input
            type="color"
            className={style.colorPick}
            aria-label={pickLabel}
            // The picker knows only six-digit hex colours, so it shows black for any other notation.
            value={/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : '#000000'}
            disabled={props.isDisabled ?? false}
            onChange={({ target }) => onChange(target.value)}
          />
          <Input className={`${style.input} ${style.code}`} />
        </div>
      </FieldFrame>
    </AriaTextField>
  );
}
