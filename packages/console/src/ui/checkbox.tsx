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
  /** Whether it is checked; within a group the group knows. */
  value?: boolean;
  onChange?(value: boolean): void;
  /** Within a group: what it stands for. */
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
