import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import style from './fields.module.css';

export interface Named {
  label: string;
  /** Help for filling in the field. */
  hint?: ReactNode;
  /** JSON pointer of the field's value in the request body. A refusal with that pointer is shown at this field. */
  name?: string;
  /** The value is visible but cannot be changed. */
  isReadOnly?: boolean;
}

export interface Choice<Id extends string> {
  id: Id;
  text: string;
  detail?: string;
}

/** The label above and the hint and error below the control of a field. */
export function FieldFrame({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: ReactNode;
  children: ReactNode;
}) {
  return (
    <>
      <Label className={style.label}>{label}</Label>
      {children}
      {hint && (
        <Text slot="description" className={style.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={style.error} />
    </>
  );
}
