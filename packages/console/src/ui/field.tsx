import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import style from './fields.module.css';

export interface Named {
  label: string;
  /** What helps to fill it in. */
  hint?: ReactNode;
  /** The pointer of what it shows within the body that is sent: a refusal at that pointer stands here. */
  name?: string;
  /** Its value can be seen, and not be changed. */
  isReadOnly?: boolean;
}

export interface Choice<Id extends string> {
  id: Id;
  text: string;
  detail?: string;
}

/** What stands above and below every field's control. */
export function Around({ label, hint, children }: { label: string; hint?: ReactNode; children: ReactNode }) {
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
