import { type ReactNode, useState } from 'react';
import { Form as AriaForm } from 'react-aria-components/Form';
import { SentContext } from '../../src/ui/sent.ts';

/** The examples of one file of `src/ui`, each by the state that it shows. */
export interface Part {
  title: string;
  /** When to use it. */
  use: string;
  examples: Readonly<Record<string, ReactNode>>;
  /** Whether an example needs the full width of the page. */
  isWide?: boolean;
}

export const longText =
  'First-flush Darjeeling from the upper gardens of the Margaret’s Hope estate, hand-picked in March and packed within a day';

/** One word that cannot be wrapped at a space, as file names and slugs are. */
export const longWord = 'darjeeling-first-flush-margarets-hope-2026-spring-harvest-whole-leaf.jpeg';

/** Holds the value of a control, so that an example reacts as it does in the console. */
export function Stateful<Value>({
  start,
  children,
}: {
  start: Value;
  children(value: Value, onChange: (value: Value) => void): ReactNode;
}) {
  const [value, setValue] = useState(start);
  return children(value, setValue);
}

/** The props of a field that depend on its state. */
export interface FieldState {
  label: string;
  hint?: ReactNode;
  name?: string;
  isDisabled?: boolean;
  isReadOnly?: boolean;
}

const pointer = '/value';

/** Shows a field as it is after the server has refused its value. */
export const Invalid = ({ text, children }: { text: string; children: ReactNode }) => (
  <AriaForm validationErrors={{ [pointer]: text }}>{children}</AriaForm>
);

/** Shows a field as it is while its form is being sent. */
export const Sent = ({ children }: { children: ReactNode }) => (
  <SentContext value={true}>{children}</SentContext>
);

/** Returns a field in the states that all fields have. */
export function fieldStates(
  { label, hint, problem }: { label: string; hint: string; problem: string },
  render: (state: FieldState) => ReactNode,
): Record<string, ReactNode> {
  return {
    Default: render({ label }),
    'With a hint': render({ label, hint }),
    Disabled: render({ label, isDisabled: true }),
    'Read-only': render({ label, isReadOnly: true }),
    Invalid: <Invalid text={problem}>{render({ label, name: pointer })}</Invalid>,
    'While its form is being sent': <Sent>{render({ label })}</Sent>,
    'Long label and hint': render({ label: longText, hint: longText }),
  };
}
