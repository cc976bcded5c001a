import { useEffect, useState } from 'react';
import { ComboBox as AriaComboBox } from 'react-aria-components/ComboBox';
import { ComboParts } from './combo-parts.tsx';
import type { Choice, Named } from './field.tsx';
import style from './fields.module.css';
import { useIsSent } from './sent.ts';
import { useUiTexts } from './texts.ts';

/**
 * One of many, found by typing: `onSearch` tells what is typed when typing rests, `choices` are what was found. What is
 * chosen goes to `onChoose`, and the field is empty for the next.
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
  /** What stands where nothing was found. */
  empty: string;
  /** What is typed is still being looked for. */
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
  // What was found for other words is none of the choices: who types fast and presses Enter would take it.
  const isWaiting = isLoading || asked !== typed.trim();
  const items = isWaiting ? [] : choices;
  return (
    <AriaComboBox
      {...props}
      isReadOnly={useIsSent()}
      // Emptied in place it would open again, over what was just chosen.
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
