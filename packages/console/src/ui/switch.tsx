import type { ReactNode } from 'react';
import { Switch as AriaSwitch } from 'react-aria-components/Switch';
import style from './fields.module.css';
import { useIsSent } from './sent.ts';

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
  /** What is said to those who do not see what it stands beside. */
  'aria-label'?: string;
}) {
  return (
    <AriaSwitch
      {...props}
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
