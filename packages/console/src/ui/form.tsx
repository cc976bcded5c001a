import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Form as AriaForm, FormContext } from 'react-aria-components/Form';
import style from './form.module.css';
import { Notice } from './layout.tsx';

/** One and the same, or each render would bring others, and the next one with them. */
const none: Readonly<Record<string, string>> = {};

/**
 * A form whose fields are named by the pointers of what they show: a problem stands at its field; one without a field
 * above them all. The first field with a problem takes the focus.
 */
export function Form({
  problems = none,
  onSubmit,
  children,
}: {
  problems?: Readonly<Record<string, string>>;
  onSubmit(): void;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [homeless, setHomeless] = useState<readonly string[]>([]);
  useLayoutEffect(() => {
    const named = (pointer: string) => form.current?.elements.namedItem(pointer);
    const entries = Object.entries(problems);
    setHomeless(
      entries.filter(([pointer]) => !named(pointer)).map(([pointer, text]) => `${pointer} ${text}`.trim()),
    );
    const first = entries.map(([pointer]) => named(pointer)).find((field) => field instanceof HTMLElement);
    if (first instanceof HTMLElement) first.focus();
  }, [problems]);
  return (
    // A form in a dialog over this one would take over what this one does, were it to see its context.
    <FormContext value={null}>
      <AriaForm
        ref={form}
        className={style.form!}
        validationErrors={problems}
        onSubmit={(event) => {
          event.preventDefault();
          // Nor does React tell this one of it.
          event.stopPropagation();
          onSubmit();
        }}
      >
        {homeless.length > 0 && (
          <Notice tone="bad">
            <ul>
              {homeless.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </Notice>
        )}
        {children}
      </AriaForm>
    </FormContext>
  );
}
