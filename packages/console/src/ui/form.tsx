import { type ReactNode, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Form as AriaForm, FormContext } from 'react-aria-components/Form';
import style from './form.module.css';
import { Notice } from './layout.tsx';
import { ResetsContext } from './resets.ts';
import { SentContext } from './sent.ts';
import { TypedContext } from './typed.ts';

/** The state of the mutation that sends a form. */
interface Sending {
  isPending: boolean;
  /** The same object until the next attempt: a new one on each render would refocus the first problem. */
  problems: Readonly<Record<string, string>>;
  /** The texts of the same problems where the form has no field for them, so that they name the field. */
  namedProblems?: Readonly<Record<string, string>>;
}

/** The input that the user types into. A number's name is on a hidden input beside the visible one. */
const typedIn = (field: HTMLElement): HTMLElement | null | undefined =>
  field.matches('[type=hidden]') ? field.parentElement?.querySelector('input:not([type=hidden])') : field;

/** Hides the error of a valid field. React Aria validates again on `change`, which otherwise fires only on blur. */
function hideSolved(field: HTMLInputElement): void {
  if (field.ariaInvalid === 'true' && field.validity?.valid)
    field.dispatchEvent(new Event('change', { bubbles: true }));
}

const idle: Sending = { isPending: false, problems: {} };

/**
 * A form whose fields are named by JSON pointers. A problem is shown at its field, or above all fields if no field has
 * its pointer. The first field with a problem takes the focus.
 */
export function Form({
  mutation: { isPending, problems, namedProblems } = idle,
  isKept = false,
  resets = 0,
  onSubmit,
  children,
}: {
  mutation?: Sending;
  /**
   * Whether the form stays open after it was sent and keeps what is typed meanwhile, as with `useDraft`. Other forms
   * close, navigate away or are emptied, so they accept no input while they are being sent.
   */
  isKept?: boolean;
  /** Counts how often the typed values were dropped. Texts that are no values, and their errors, go with them. */
  resets?: number;
  onSubmit(): void;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const isTyped = useContext(TypedContext);
  const [formLevelErrors, setFormLevelErrors] = useState<readonly string[]>([]);
  const [fixing, setFixing] = useState<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => {
    setFixing(new Set());
    const named = (pointer: string) => form.current?.elements.namedItem(pointer);
    const entries = Object.entries(problems);
    const withoutField = entries.filter(([pointer]) => !named(pointer));
    // Several problems may have the same text, such as those of parts that no name is known for.
    setFormLevelErrors([...new Set(withoutField.map(([pointer, text]) => namedProblems?.[pointer] ?? text))]);
    const first = entries.map(([pointer]) => named(pointer)).find((field) => field instanceof HTMLElement);
    if (first instanceof HTMLElement) typedIn(first)?.focus();
  }, [problems, namedProblems]);
  useEffect(() => {
    if (resets > 0) for (const field of form.current?.elements ?? []) hideSolved(field as HTMLInputElement);
  }, [resets]);
  // A problem disappears on the next keystroke. If it disappeared on blur, the layout would shift and the click that
  // caused the blur would miss its target.
  const standing = useMemo(
    () => Object.fromEntries(Object.entries(problems).filter(([pointer]) => !fixing.has(pointer))),
    [problems, fixing],
  );
  const typed = ({ target }: { target: EventTarget }) => {
    const field = target as HTMLInputElement;
    // React also passes on the input of dialogs that this form opens.
    if (isTyped && field.type !== 'search' && form.current?.contains(field)) isTyped.current = true;
    if (field.name in standing) setFixing(new Set([...fixing, field.name]));
    // The browser's own validation errors must disappear on a keystroke, too.
    else hideSolved(field);
  };
  return (
    // Without this, a form in a dialog above this one would take over this form's context.
    <FormContext value={null}>
      <AriaForm
        ref={form}
        validationErrors={standing}
        onSubmit={(event) => {
          event.preventDefault();
          // React bubbles the event of a nested form through portals; it must not submit this form too.
          event.stopPropagation();
          // Enter in a field must not send a form twice: that would make a second store or invitation.
          if (form.current?.querySelector('[data-pending]')) return;
          onSubmit();
        }}
      >
        <div className={style.form} onInput={typed}>
          {formLevelErrors.length > 0 && (
            <Notice tone="bad">
              <ul>
                {formLevelErrors.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </Notice>
          )}
          <ResetsContext value={resets}>
            <SentContext value={isPending && !isKept}>{children}</SentContext>
          </ResetsContext>
        </div>
      </AriaForm>
    </FormContext>
  );
}
