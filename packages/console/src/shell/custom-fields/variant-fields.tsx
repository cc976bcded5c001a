import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { Fields } from './fields.tsx';
import type { CustomField, FieldValues } from './queries.ts';
import { useCustomFieldTexts } from './texts.ts';

/** The custom fields of a variant; they are saved with its product. */
export function VariantFields({
  name,
  definitions,
  value,
  onChange,
  onClose,
  isReadOnly,
}: {
  name: string;
  definitions: readonly CustomField[];
  value: FieldValues;
  onChange(value: FieldValues): void;
  onClose(): void;
  isReadOnly: boolean;
}) {
  const words = useCustomFieldTexts();
  return (
    <Dialog title={words.forVariant(name)} isOpen onClose={onClose}>
      <Form onSubmit={onClose}>
        <Fields
          entity="variant"
          definitions={definitions}
          value={value}
          onChange={onChange}
          isReadOnly={isReadOnly}
        />
        <Actions>
          <Button look="primary" type="submit">
            {words.done}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
