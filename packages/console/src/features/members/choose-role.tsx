import { type Role, roles } from '@waybill/contracts/permissions';
import { useCommon } from '../../texts/common.ts';
import { RadioGroup } from '../../ui/choices.tsx';
import { useMemberTexts } from './texts.ts';

/** Chooses a role; each is shown with its permissions. */
export function ChooseRole({ value, onChange }: { value: Role; onChange(role: Role): void }) {
  const words = useMemberTexts();
  const common = useCommon();
  return (
    <RadioGroup
      label={words.role}
      choices={roles.map((id) => ({ id, text: common.roles[id], detail: words.roleHints[id] }))}
      value={value}
      onChange={onChange}
    />
  );
}
