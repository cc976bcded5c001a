import { type ReactNode, useId } from 'react';
import style from './segments.module.css';

/**
 * A choice between a few options in a row. Screen readers get `label`, and the text of options shown as icons. The
 * browser's own radio buttons lie over the options: React Aria's would add 2.5 KiB to the editor's start.
 */
export function Segments<Id extends string>({
  label,
  choices,
  value,
  onChange,
  isDisabled = false,
  isInherited = false,
}: {
  label: string;
  choices: readonly { id: Id; text: string; icon?: ReactNode }[];
  /** Null: none is chosen. */
  value: Id | null;
  onChange(value: Id): void;
  isDisabled?: boolean;
  /** The value is inherited, not set here: it is shown paler and can be set. */
  isInherited?: boolean;
}) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={style.segments!} data-inherited={isInherited}>
      {choices.map(({ id, text, icon }) => (
        <label key={id} className={style.segment!}>
          <input
            type="radio"
            name={name}
            value={id}
            checked={id === value}
            disabled={isDisabled}
            onChange={() => onChange(id)}
            {...(icon && { 'aria-label': text })}
          />
          {icon ?? text}
        </label>
      ))}
    </div>
  );
}
