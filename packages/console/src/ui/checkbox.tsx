import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox } from 'react-aria-components/Checkbox';
import style from './fields.module.css';
import { CheckIcon } from './icons.tsx';
import { useIsSent } from './sent.ts';

export function Checkbox({
  label,
  hint,
  value,
  onChange,
  id,
  isReadOnly,
  ...props
}: {
  label: ReactNode;
  hint?: ReactNode;
  /** Whether it is checked. Not needed within a group, which holds the state. */
  value?: boolean;
  onChange?(value: boolean): void;
  /** The id of this choice within a group. */
  id?: string;
  name?: string;
  isDisabled?: boolean;
  isReadOnly?: boolean;
  isIndeterminate?: boolean;
}) {
  return (
    <AriaCheckbox
      {...props}
      isDisabled={isReadOnly || props.isDisabled}
      isReadOnly={useIsSent()}
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
