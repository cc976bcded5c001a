import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Input } from 'react-aria-components/Input';
import { SearchField as AriaSearchField } from 'react-aria-components/SearchField';
import style from './fields.module.css';
import { CrossIcon, SearchIcon } from './icons.tsx';

/** A search field. It reports the typed text once the user pauses, or at once on Enter. */
export function SearchField({
  label,
  value,
  onChange,
  placeholder,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
  placeholder?: string;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), 250);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <AriaSearchField
      aria-label={label}
      value={typed}
      onChange={setTyped}
      onSubmit={onChange}
      className={style.search}
    >
      <SearchIcon />
      <Input className={style.searchInput} placeholder={placeholder ?? label} />
      {typed !== '' && (
        <Button className={style.clear}>
          <CrossIcon />
        </Button>
      )}
    </AriaSearchField>
  );
}
