import type { ReactNode } from 'react';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup';
import style from './segments.module.css';

/** One of a few, side by side; `icon` stands for the text, which is still said. */
export function Segments({
  label,
  choices,
  value,
  onChange,
  isDisabled = false,
}: {
  label: string;
  choices: readonly { id: string; text: string; icon?: ReactNode }[];
  /** Null: none of them. */
  value: string | null;
  onChange(id: string): void;
  isDisabled?: boolean;
}) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      selectionMode="single"
      selectedKeys={value === null ? [] : [value]}
      onSelectionChange={([id]) => onChange(id === undefined ? (value ?? '') : String(id))}
      isDisabled={isDisabled}
      className={style.segments!}
    >
      {choices.map(({ id, text, icon }) => (
        <ToggleButton key={id} id={id} className={style.segment!} {...(icon && { 'aria-label': text })}>
          {icon ?? text}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
