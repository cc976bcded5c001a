import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { useCountries } from '../../shell/address.tsx';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Facts, Grid, Row } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { samplesQuery } from './queries.ts';
import { usePricingTexts } from './texts.ts';

/** Calculates a sample order for an address with the saved settings and explains the result. */
export function SampleOrder({ homeCountry }: { homeCountry: string | null }) {
  const words = usePricingTexts();
  const formats = useFormats();
  const store = useStore();
  const { choices } = useCountries();
  const { data } = useQuery({ ...samplesQuery(store.id), enabled: store.can('products.read') });
  const variants = (data?.products ?? []).flatMap((product) =>
    product.variants.map((variant) => ({
      id: variant.id,
      text: [product.name, variant.name].filter(Boolean).join(' · '),
      detail: formats.money(variant.priceCents, store.currency),
    })),
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const [quantity, setQuantity] = useState<number | null>(1);
  const [chosenCountry, setCountry] = useState<string | null>(null);
  const country = chosenCountry ?? homeCountry ?? 'DE';
  const [region, setRegion] = useState('');
  const [postalCode, setPostalCode] = useState('');
  const variantId = chosen ?? variants[0]?.id;
  const ask = useMutation(() =>
    api.post('/api/stores/{storeId}/quotes', {
      params: { path: { storeId: store.id } },
      body: {
        items: [{ variantId: variantId!, quantity: quantity ?? 1 }],
        country: country as 'DE',
        region,
        postalCode,
        explain: true,
      },
    }),
  );
  const [quote, setQuote] = useState<Awaited<ReturnType<typeof ask.attempt>>['quote'] | null>(null);
  if (!variantId) return null;
  return (
    <Card title={words.sample}>
      <Form
        mutation={ask}
        onSubmit={() => {
          setQuote(null);
          void ask.run(undefined).then((answer) => answer && setQuote(answer.quote));
        }}
      >
        <p>{words.sampleHint}</p>
        <Grid>
          <Select label={words.product} choices={variants} value={variantId} onChange={setChosen} />
          <NumberField
            label={words.quantity}
            name="/items/0/quantity"
            minValue={1}
            maxValue={999}
            step={1}
            value={quantity}
            onChange={setQuantity}
            isRequired
          />
          <Select label={words.country} choices={choices} value={country} onChange={setCountry} />
          <TextField
            label={words.region}
            name="/region"
            value={region}
            onChange={setRegion}
            autoComplete="off"
          />
          <TextField
            label={words.postalCode}
            name="/postalCode"
            value={postalCode}
            onChange={setPostalCode}
            autoComplete="off"
          />
        </Grid>
        <Row>
          <Button type="submit" isPending={ask.isPending}>
            {words.calculate}
          </Button>
        </Row>
        {quote && (
          <Facts
            facts={[
              ...(quote.steps ?? []).map(
                ({ kind, text, amountCents }, i) =>
                  [
                    `${words.steps[kind]}: ${text}`,
                    formats.money(
                      kind === 'includedTax' ? (quote.taxLines[taxAt(quote, i)]?.taxCents ?? 0) : amountCents,
                      quote.currency,
                    ),
                  ] as const,
              ),
              [words.total, <strong key="total">{formats.money(quote.totalCents, quote.currency)}</strong>],
            ]}
          />
        )}
      </Form>
    </Card>
  );
}

/**
 * Returns the index of the tax line that a step of included tax describes. These steps come last, in the order of the
 * tax lines.
 */
const taxAt = ({ steps = [], taxLines }: { steps?: unknown[]; taxLines: unknown[] }, step: number): number =>
  step - (steps.length - taxLines.length);
