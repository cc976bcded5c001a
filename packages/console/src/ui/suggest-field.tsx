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
  value,
  onChange,
  takesTyped = false,
  placeholder,
  ...props
}: Named & {
  choices: readonly Choice<string>[];
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
    const wanted = typed?.trim().toLocaleLowerCase() ?? '';
    const found = choices.filter(({ text }) => text.toLocaleLowerCase().includes(wanted));
    return found.slice(0, mostShown);
  }, [choices, typed]);
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
