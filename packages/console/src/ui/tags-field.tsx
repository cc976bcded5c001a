import { useState } from 'react';
import { TextField } from './text-field.tsx';

/** Words separated by commas. The text is normalised when the field loses the focus. */
export function TagsField({
  label,
  hint,
  name = '/tags',
  value,
  onChange,
  isReadOnly = false,
}: {
  label: string;
  hint: string;
  name?: string;
  value: readonly string[];
  onChange(tags: string[]): void;
  isReadOnly?: boolean;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      label={label}
      hint={hint}
      name={name}
      value={typed ?? value.join(', ')}
      onChange={(text) => {
        setTyped(text);
        const tags = text.split(',').map((tag) => tag.trim());
        onChange([...new Set(tags.filter((tag) => tag !== ''))]);
      }}
      onBlur={() => setTyped(null)}
      isReadOnly={isReadOnly}
    />
  );
}
