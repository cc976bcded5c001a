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
  /** The value is visible but cannot be changed. It looks like a disabled switch. */
  isReadOnly?: boolean;
  /** Accessible name, for a switch without a visible label. */
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
