import type { ReactNode } from 'react';
import { Switch as AriaSwitch } from 'react-aria-components/Switch';
import style from './fields.module.css';
import { useIsSent } from './sent.ts';

export function Switch({
  label,
  value,
  onChange,
  isReadOnly,
  ...props
}: {
  label: ReactNode;
  value: boolean;
  onChange(value: boolean): void;
  name?: string;
  isDisabled?: boolean;
  /** Its value can be seen, and not be changed: there is no other look for it than a disabled one. */
  isReadOnly?: boolean;
  /** What is said to those who do not see what it stands beside. */
  'aria-label'?: string;
}) {
  return (
    <AriaSwitch
      {...props}
      isDisabled={isReadOnly || props.isDisabled}
      isReadOnly={useIsSent()}
      isSelected={value}
      onChange={onChange}
      className={style.check}
    >
      <span className={style.track} />
      {label}
    </AriaSwitch>
  );
}
