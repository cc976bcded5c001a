import { useEffect, useState } from 'react';
import { ComboBox as AriaComboBox } from 'react-aria-components/ComboBox';
import { ComboParts } from './combo-parts.tsx';
import type { Choice, Named } from './field.tsx';
import style from './fields.module.css';
import { useIsSent } from './sent.ts';
import { useUiTexts } from './texts.ts';

/**
 * A choice from many, found by typing. `onSearch` receives the typed text once the user pauses, and `choices` are the
 * results. A chosen id goes to `onChoose`, and the field is emptied for the next choice.
 */
export function SearchChoice({
  label,
  hint,
  choices,
  onSearch,
  onChoose,
  placeholder,
  empty,
  isLoading,
  ...props
}: Named & {
  choices: readonly (Choice<string> & { isDisabled?: boolean })[];
  onSearch(typed: string): void;
  onChoose(id: string): void;
  placeholder?: string;
  /** Shown when nothing was found. */
  empty: string;
  /** The results for the typed text are still loading. */
  isLoading: boolean;
  isDisabled?: boolean;
  autoFocus?: boolean;
}) {
  const [typed, setTyped] = useState('');
  const [times, setTimes] = useState(0);
  const [asked, setAsked] = useState('');
  const texts = useUiTexts();
  useEffect(() => {
    const timer = setTimeout(() => {
      setAsked(typed.trim());
      onSearch(typed.trim());
    }, 200);
    return () => clearTimeout(timer);
  }, [typed, onSearch]);
  // Results of an earlier search are not offered: a fast typist who presses Enter would choose one of them.
  const isWaiting = isLoading || asked !== typed.trim();
  const items = isWaiting ? [] : choices;
  return (
    <AriaComboBox
      {...props}
      isReadOnly={useIsSent()}
      // The field is mounted anew, because clearing it in place would reopen the list over the chosen item.
      key={times}
      autoFocus={props.autoFocus || times > 0}
      className={style.field!}
      items={items}
      inputValue={typed}
      onInputChange={setTyped}
      value={null}
      onChange={(key) => {
        if (key === null) return;
        onChoose(String(key));
        setTyped('');
        setTimes(times + 1);
      }}
      disabledKeys={items.filter(({ isDisabled }) => isDisabled).map(({ id }) => id)}
      menuTrigger="input"
      allowsEmptyCollection
    >
      <ComboParts
        label={label}
        hint={hint}
        {...(placeholder && { placeholder })}
        empty={isWaiting ? texts.loading : empty}
      />
    </AriaComboBox>
  );
}
