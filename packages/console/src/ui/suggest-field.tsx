import { useMemo, useState } from 'react';
import { ComboBox } from 'react-aria-components/ComboBox';
import { ComboParts } from './combo-parts.tsx';
import type { Choice, Named } from './field.tsx';
import style from './fields.module.css';
import { useIsSent } from './sent.ts';

/** Maximum number of choices shown at once; typing finds the others. */
const mostShown = 200;

/**
 * A choice from many known options, found by typing. With `takesTyped`, `value` is a text and any other text may be
 * typed as well; otherwise it is the id of a choice.
 */
export function SuggestField({
  label,
  hint,
  choices,
  fold,
  value,
  onChange,
  takesTyped = false,
  placeholder,
  ...props
}: Named & {
  choices: readonly Choice<string>[];
  /** Returns a text as searches compare it. */
  fold(text: string): string;
  value: string | null;
  onChange(value: string): void;
  takesTyped?: boolean;
  placeholder?: string;
  isRequired?: boolean;
  isDisabled?: boolean;
}) {
  const chosen = takesTyped ? (value ?? '') : (choices.find(({ id }) => id === value)?.text ?? '');
  /** The text being typed. Null: the field shows the chosen value. */
  const [typed, setTyped] = useState<string | null>(null);
  const shown = useMemo(() => {
    const wanted = fold(typed?.trim() ?? '');
    const found = choices.filter(({ text }) => fold(text).includes(wanted));
    return found.slice(0, mostShown);
  }, [choices, typed, fold]);
  return (
    <ComboBox
      {...props}
      isReadOnly={useIsSent()}
      className={style.field!}
      items={shown}
      inputValue={typed ?? chosen}
      onInputChange={(text) => {
        if (text === (typed ?? chosen)) return;
        setTyped(text);
        if (takesTyped) onChange(text);
      }}
      onBlur={() => setTyped(null)}
      value={value}
      onChange={(key) => {
        if (key === null) return;
        onChange(String(key));
        setTyped(null);
      }}
      menuTrigger="input"
      allowsCustomValue={takesTyped}
    >
      <ComboParts label={label} hint={hint} {...(placeholder && { placeholder })} />
    </ComboBox>
  );
}
