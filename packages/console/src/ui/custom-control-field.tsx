import type { ReactNode } from 'react';
import { useSlottedContext } from 'react-aria-components/slots';
import { TextAreaContext } from 'react-aria-components/TextArea';
import { TextField as AriaTextField } from 'react-aria-components/TextField';
import { FieldFrame, type Named } from './field.tsx';
import style from './fields.module.css';

/** The ARIA and id attributes of a control's element. */
export type ControlAttributes = Record<string, string>;

/** A field for a custom control. `children` renders the control with the given attributes on its element. */
export function CustomControlField({
  label,
  hint,
  name,
  children,
}: Named & { children(attributes: ControlAttributes): ReactNode }) {
  return (
    <AriaTextField name={name} className={style.field}>
      <FieldFrame label={label} hint={hint}>
        <Control>{children}</Control>
      </FieldFrame>
    </AriaTextField>
  );
}

const forwardedAttributes = ['id', 'aria-labelledby', 'aria-describedby', 'aria-invalid'] as const;

function Control({ children }: { children(attributes: ControlAttributes): ReactNode }) {
  const textAreaProps = useSlottedContext(TextAreaContext) as Record<string, unknown> | null | undefined;
  const attributes: ControlAttributes = {};
  for (const attribute of forwardedAttributes)
    if (textAreaProps?.[attribute] !== undefined) attributes[attribute] = String(textAreaProps[attribute]);
  return children(attributes);
}
