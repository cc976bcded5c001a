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
