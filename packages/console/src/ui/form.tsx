import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Form as AriaForm, FormContext } from 'react-aria-components/Form';
import style from './form.module.css';
import { Notice } from './layout.tsx';
import { SentContext } from './sent.ts';

/** What a form is sent by, and what came of it. */
interface Sending {
  isPending: boolean;
  /** One and the same until it is sent again, or each render would bring others, and take the focus to the first. */
  problems: Readonly<Record<string, string>>;
}

/** Where a field is typed into: a number's name is on a hidden one beside it. */
const typedIn = (field: HTMLElement): HTMLElement | null | undefined =>
  field.matches('[type=hidden]') ? field.parentElement?.querySelector('input:not([type=hidden])') : field;

const idle: Sending = { isPending: false, problems: {} };

/**
 * A form whose fields are named by the pointers of what they show: a problem stands at its field; one without a field
 * above them all. The first field with a problem takes the focus.
 */
export function Form({
  mutation: { isPending, problems } = idle,
  isKept = false,
  onSubmit,
  children,
}: {
  mutation?: Sending;
  /**
   * The form goes on once it is done, and what was typed meanwhile with it, as a `useDraft` does. Any other closes, is
   * left or is emptied then: it takes nothing in while it is on its way.
   */
  isKept?: boolean;
  onSubmit(): void;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [formLevelErrors, setFormLevelErrors] = useState<readonly string[]>([]);
  const [fixing, setFixing] = useState<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => {
    setFixing(new Set());
    const named = (pointer: string) => form.current?.elements.namedItem(pointer);
    const entries = Object.entries(problems);
    setFormLevelErrors(
      entries.filter(([pointer]) => !named(pointer)).map(([pointer, text]) => `${pointer} ${text}`.trim()),
    );
    const first = entries.map(([pointer]) => named(pointer)).find((field) => field instanceof HTMLElement);
    if (first instanceof HTMLElement) typedIn(first)?.focus();
  }, [problems]);
  // A problem goes as soon as something is typed: did it go when the field is left, what is below would move up from
  // under the click that leaves it.
  const standing = useMemo(
    () => Object.fromEntries(Object.entries(problems).filter(([pointer]) => !fixing.has(pointer))),
    [problems, fixing],
  );
  const typed = ({ target }: { target: EventTarget }) => {
    const field = target as HTMLInputElement;
    if (field.name in standing) setFixing(new Set([...fixing, field.name]));
    // What the browser complained of goes so, too: React Aria looks anew when a field has changed, which else is when it is left.
    else if (field.ariaInvalid === 'true' && field.validity?.valid)
      field.dispatchEvent(new Event('change', { bubbles: true }));
  };
  return (
    // A form in a dialog over this one would take over what this one does, were it to see its context.
    <FormContext value={null}>
      <AriaForm
        ref={form}
        validationErrors={standing}
        onSubmit={(event) => {
          event.preventDefault();
          // Nor does React tell this one of it.
          event.stopPropagation();
          // Enter in a field would send once more what is on its way: a second store, a second invitation.
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
          <SentContext value={isPending && !isKept}>{children}</SentContext>
        </div>
      </AriaForm>
    </FormContext>
  );
}
