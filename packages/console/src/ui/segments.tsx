import { RadioGroup as AriaRadioGroup, Radio } from 'react-aria-components/RadioGroup';
import style from './segments.module.css';

/** One of a few, side by side, for how something is looked at; `label` is for those who do not see it. */
export function Segments<Id extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: readonly { id: Id; text: string }[];
  value: Id;
  onChange(value: Id): void;
}) {
  return (
    <AriaRadioGroup
      aria-label={label}
      orientation="horizontal"
      value={value}
      onChange={(next) => onChange(next as Id)}
      className={style.segments!}
    >
      {choices.map(({ id, text }) => (
        <Radio key={id} value={id} className={style.segment!}>
          {text}
        </Radio>
      ))}
    </AriaRadioGroup>
  );
}
