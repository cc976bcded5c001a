import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Facts } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Product, productsKey } from './queries.ts';
import { useProductTexts } from './texts.ts';

/** Changes a stock by a difference, at once, so that concurrent sales are kept. */
export function AdjustStock({
  product,
  variant,
  onClose,
}: {
  product: Product;
  variant: Product['variants'][number];
  onClose(): void;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const store = useStore();
  const [delta, setDelta] = useState<number | null>(null);
  const [reason, setReason] = useState('');
  const save = useMutation(
    () =>
      api.post('/api/stores/{storeId}/products/{id}/variants/{variantId}/stock', {
        params: { path: { storeId: store.id, id: product.id, variantId: variant.id } },
        body: { delta: delta ?? 0, ...(reason.trim() && { reason: reason.trim() }) },
      }),
    { done: words.stockChanged, invalidates: [productsKey(store.id)], onDone: onClose },
  );
  const title = words.adjustTitle({ name: [product.name, variant.name].filter(Boolean).join(', ') });
  return (
    <Dialog title={title} isOpen onClose={onClose} size="small">
      <Form mutation={save} onSubmit={() => void save.run(undefined)}>
        <p>{words.adjustHint}</p>
        <NumberField
          label={words.delta}
          hint={words.deltaHint}
          name="/delta"
          value={delta}
          onChange={setDelta}
          step={1}
          minValue={-variant.stock}
          isRequired
        />
        <TextField label={words.reason} name="/reason" value={reason} onChange={setReason} maxLength={200} />
        <Facts
          facts={[[words.stock, words.fromTo({ from: variant.stock, to: variant.stock + (delta ?? 0) })]]}
        />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit" isPending={save.isPending} isDisabled={!delta}>
            {words.adjustDeed}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
